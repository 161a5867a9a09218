export type Fields = Readonly<Record<string, unknown>>

/** Makes the answer that a stream would have been without streaming. */
export interface Assembler {
  /** Takes the data of an event. */
  readonly take: (event: Fields) => void
  /** `undefined`: no event was part of an answer. */
  readonly answer: () => Fields | undefined
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {})

export const listIn = (value: unknown): ReadonlyArray<Fields> => (Array.isArray(value) ? value.filter(isFields) : [])

/** How much text an answer may have. A model reads no more, and a stream may go on for long. */
export class TextRoom {
  #left: number
  #isFull = false

  constructor(characters: number) {
    this.#left = characters
  }

  /** Whether some text was left out. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Takes the room of a list. Returns false if there is not enough. */
  takeList(list: ReadonlyArray<unknown>): boolean {
    const size = JSON.stringify(list).length
    if (size > this.#left) this.#isFull = true
    else this.#left -= size
    return !this.#isFull
  }

  /** `text` as far as there is room for it. */
  fitting(text: string): string {
    if (text.length > this.#left) this.#isFull = true
    const fitting = text.slice(0, this.#left)
    this.#left -= fitting.length
    return fitting
  }
}

const mostFields = 100

/** Adds the fields of an event to those of events before. */
export const withFields = (known: Fields, more: Fields): Fields => {
  const all = { ...known, ...more }
  return Object.keys(all).length > mostFields ? known : all
}

const mostParts = 256

/** The part at an index that an event names. A stream has a limited number of parts. */
export const partAt = <A>(parts: Map<number, A>, index: unknown, make: () => A): A | undefined => {
  const at = typeof index === "number" && Number.isInteger(index) && index >= 0 ? index : 0
  const known = parts.get(at)
  if (known !== undefined || parts.size >= mostParts) return known
  const made = make()
  parts.set(at, made)
  return made
}

/** The parts by their index. */
export const inOrder = <A>(parts: ReadonlyMap<number, A>): ReadonlyArray<A> =>
  [...parts].sort(([a], [b]) => a - b).map(([, part]) => part)
