import { check } from "./SeededRandom.ts"

export interface Page {
  readonly from: number
  /** The index after the last item of this page. */
  readonly to: number
  /** The cursor of the next page; missing on the last. */
  readonly next?: string
}

const write = (list: string, from: number) => `${from}-${check(`${list} ${from}`)}`

/** The page at a cursor. `undefined` if the cursor is not one of this list. */
export const page = (list: string, total: number, size: number, cursor: string | undefined): Page | undefined => {
  const from = cursor === undefined ? 0 : Number.parseInt(cursor, 10)
  if (cursor !== undefined && cursor !== write(list, from)) return undefined
  const to = Math.min(total, from + size)
  return to < total ? { from, to, next: write(list, to) } : { from, to }
}
