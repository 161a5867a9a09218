import { closes, endsName, kinds, opens, opensString, StringReader } from "./jsonScan.ts"

/** A body up to this size is cheap to parse whatever it holds, so it is not checked. */
export const uncheckedBytes = 64 * 1024

/** What a larger body may hold. */
export const most = {
  values: 100_000,
  /** The names of one object. V8 makes a hash table of them, which takes a microsecond for each. */
  names: 10_000,
  /** All names together. V8 compares names of over 16,383 letters with each other in full. */
  bytesOfNames: 2 * 1024 * 1024,
  depth: 128,
  escapes: 2_000_000,
  bytesOutsideStrings: 8 * 1024 * 1024
} as const

/**
 * Counts what makes a JSON text expensive to parse, while it arrives. Names and values are counted by the commas, colons and
 * opening brackets before them. Whether the text is valid is not checked.
 */
export class JsonBounds {
  #received = 0
  #depth = 0
  #deepest = 0
  #values = 0
  #outside = 0
  /** The names of the open object at each level. Those in the part of a body that is not checked do not count. */
  #names: Uint32Array | undefined
  #mostNames = 0
  /** The bytes of the last string. It is a name if a colon follows. */
  #lastString = 0
  #bytesOfNames = 0
  readonly #strings = new StringReader()
  readonly #mostEscapes: number

  constructor(mostEscapes: number = most.escapes) {
    this.#mostEscapes = mostEscapes
  }

  /** Takes the next bytes. Returns what the text has too much of, `undefined` if it is within the bounds so far. */
  push(chunk: Uint8Array): string | undefined {
    this.#received += chunk.length
    if (this.#received > uncheckedBytes) this.#names ??= new Uint32Array(most.depth + 1)
    let i = 0
    while (i < chunk.length) {
      const from = i
      if (this.#strings.isOpen) {
        i = this.#strings.read(chunk, i)
        this.#lastString += i - from
      } else {
        i = this.#structure(chunk, i)
        if (this.#strings.isOpen) this.#lastString = 0
      }
    }
    if (this.#received <= uncheckedBytes) return undefined
    if (this.#values > most.values) return `more than ${most.values} names and values`
    if (this.#mostNames > most.names) return `an object with more than ${most.names} names`
    if (this.#bytesOfNames > most.bytesOfNames) return `more than ${most.bytesOfNames} bytes of names`
    if (this.#deepest > most.depth) return `more than ${most.depth} levels`
    if (this.#outside > most.bytesOutsideStrings)
      return `more than ${most.bytesOutsideStrings} bytes outside of strings`
    return this.#strings.escapes > this.#mostEscapes ? `more than ${this.#mostEscapes} escaped characters` : undefined
  }

  /** Reads up to the next string. Returns the index after its opening quote. */
  #structure(bytes: Uint8Array, from: number): number {
    const to = bytes.length
    const names = this.#names
    let values = this.#values
    let depth = this.#depth
    let i = from
    for (; i < to; i++) {
      const kind = kinds[bytes[i] ?? 0]
      if (kind === 0) continue
      if (kind === opensString) {
        this.#strings.isOpen = true
        i++
        break
      }
      if (kind === closes) depth--
      else {
        values++
        if (kind === opens) {
          if (++depth > this.#deepest) this.#deepest = depth
          if (names !== undefined) names[depth] = 0
        } else if (kind === endsName) {
          this.#bytesOfNames += this.#lastString
          if (names === undefined) continue
          const count = (names[depth] ?? 0) + 1
          names[depth] = count
          if (count > this.#mostNames) this.#mostNames = count
        }
      }
    }
    this.#values = values
    this.#depth = depth
    this.#outside += i - from
    return i
  }
}
