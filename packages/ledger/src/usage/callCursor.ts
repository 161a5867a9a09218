/** Where a page of the call log begins. */
export interface Cursor {
  /** Calls that had not ended when the reader began come first. */
  readonly part: "unended" | "ended"
  /** When the reader began. A call belongs to one part by that, whenever it ends. */
  readonly asOf: number
  /** The last call of the page before: its start, or its end if it had ended, and its id. */
  readonly at: number
  readonly id: string
}

/** `asOf` is now, or the end of the newest call if the clock went back. */
export const first = (asOf: number): Cursor => ({ part: "unended", asOf, at: Number.MAX_SAFE_INTEGER, id: "" })

/** All calls that had ended. */
export const firstEnded = ({ asOf }: Cursor): Cursor => ({ part: "ended", asOf, at: asOf, id: "" })

const shape = /^([ue])(\d{1,16})\.(\d{1,16})\.([\w-]{0,100})$/

/** `undefined`: this gateway wrote no such cursor. */
export const parse = (text: string): Cursor | undefined => {
  const [, part, asOf, at, id] = shape.exec(text) ?? []
  if (part === undefined || id === undefined) return undefined
  const cursor: Cursor = { part: part === "u" ? "unended" : "ended", asOf: Number(asOf), at: Number(at), id }
  return Number.isSafeInteger(cursor.asOf) && Number.isSafeInteger(cursor.at) ? cursor : undefined
}

export const format = ({ asOf, at, id, part }: Cursor): string => `${part === "ended" ? "e" : "u"}${asOf}.${at}.${id}`
