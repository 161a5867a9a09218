// Finds values in the bytes of a JSON text without parsing them; skipped values are not validated. Nothing here recurses, so
// a deep text is harmless.

const tab = 0x09
const lineFeed = 0x0a
const carriageReturn = 0x0d
const space = 0x20
export const quote = 0x22
export const comma = 0x2c
export const colon = 0x3a
export const leftBracket = 0x5b
export const backslash = 0x5c
export const rightBracket = 0x5d
export const leftBrace = 0x7b
export const rightBrace = 0x7d

export const skipSpace = (bytes: Uint8Array, at: number, to = bytes.length): number => {
  let i = at
  while (i < to) {
    const byte = bytes[i]
    if (byte !== space && byte !== lineFeed && byte !== carriageReturn && byte !== tab) break
    i++
  }
  return i
}

/** Up to this length a loop is faster than `indexOf`. */
const shortLength = 12
/** After an escaped quote more of them are likely, and `indexOf` would stop at each. */
const escapedLength = 256

/** The index after the closing quote; -1 if there is none. */
export const stringEnd = (bytes: Uint8Array, at: number, to: number): number => {
  let i = at + 1
  for (let length = shortLength - 1; ; length = escapedLength) {
    const near = Math.min(i + length, to)
    for (; i < near; i++) {
      const byte = bytes[i]
      if (byte === quote) return i + 1
      if (byte === backslash) i++
    }
    const end = bytes.indexOf(quote, i)
    if (end === -1 || end >= to) return -1
    let before = end
    while (before > i && bytes[before - 1] === backslash) before--
    // After an odd number of backslashes the quote is escaped.
    if ((end - before) % 2 === 0) return end + 1
    i = end + 1
  }
}

const scalarEnd = (bytes: Uint8Array, at: number, to: number): number => {
  let i = at
  for (; i < to; i++) {
    const byte = bytes[i] ?? 0
    if (byte === comma || byte === rightBrace || byte === rightBracket || byte <= space) break
  }
  return i === at ? -1 : i
}

// A table is faster than comparisons: every byte outside strings is looked up.
const opensString = 1
const opens = 2
const closes = 3
const separates = 4
const endsName = 5
/** What a byte outside of strings does. 0: nothing. */
const kinds = new Uint8Array(256)
kinds[quote] = opensString
kinds[leftBrace] = kinds[leftBracket] = opens
kinds[rightBrace] = kinds[rightBracket] = closes
kinds[comma] = separates
kinds[colon] = endsName
/** The same for those who look for the end of a value only. */
const brackets = new Uint8Array(256)
brackets[quote] = opensString
brackets[leftBrace] = brackets[leftBracket] = opens
brackets[rightBrace] = brackets[rightBracket] = closes

/** The index after the value that starts at `at`; -1 if there is none or it does not end. */
export const valueEnd = (bytes: Uint8Array, at: number, to = bytes.length): number => {
  const first = bytes[at]
  if (at >= to) return -1
  if (first === quote) return stringEnd(bytes, at, to)
  if (first !== leftBrace && first !== leftBracket) return scalarEnd(bytes, at, to)
  let depth = 0
  for (let i = at; i < to; i++) {
    const kind = brackets[bytes[i] ?? 0]
    if (kind === 0) continue
    if (kind === opensString) {
      const end = stringEnd(bytes, i, to)
      if (end === -1) return -1
      i = end - 1
    } else if (kind === opens) depth++
    else if (--depth === 0) return i + 1
  }
  return -1
}

/** Where the value of a member starts, given where its name ends; -1 if there is none. */
export const valueStart = (bytes: Uint8Array, nameEnd: number, to: number): number => {
  const at = skipSpace(bytes, nameEnd, to)
  return at < to && bytes[at] === colon ? skipSpace(bytes, at + 1, to) : -1
}

/**
 * Reads the object or list at `at`. `onChild` gets each value, with its name in quotes between `from` and `nameEnd`, -1 in a list,
 * and returns where the value ends. Returns where the whole ends; -1 if it is malformed.
 */
export const walk = (
  bytes: Uint8Array,
  at: number,
  to: number,
  onChild: (start: number, from: number, nameEnd: number) => number
): number => {
  const isObject = bytes[at] === leftBrace
  if (at >= to || (!isObject && bytes[at] !== leftBracket)) return -1
  const close = isObject ? rightBrace : rightBracket
  let next = skipSpace(bytes, at + 1, to)
  if (next < to && bytes[next] === close) return next + 1
  while (next < to) {
    const from = next
    let nameEnd = -1
    if (isObject) {
      nameEnd = bytes[from] === quote ? stringEnd(bytes, from, to) : -1
      next = nameEnd === -1 ? -1 : valueStart(bytes, nameEnd, to)
      if (next === -1) return -1
    }
    const end = onChild(next, from, nameEnd)
    if (end === -1) return -1
    next = skipSpace(bytes, end, to)
    if (next < to && bytes[next] === close) return next + 1
    if (next >= to || bytes[next] !== comma) return -1
    next = skipSpace(bytes, next + 1, to)
  }
  return -1
}

/** A string of this length or more is read by `indexOf`: most such are base64, which has no escapes. */
const longString = 512

// V8 reads exported constants from memory each time, which makes the loop below a tenth slower.
const ends = quote
const escapes = backslash

/** Reads strings that arrive in chunks, and counts their escapes. */
export class StringReader {
  /** The string goes on in the next chunk. */
  isOpen = false
  escapes = 0
  #isEscaped = false

  /** Reads from behind the opening quote, or from where the chunk before ended. Returns the index after the closing quote, or `to`. */
  read(bytes: Uint8Array, from: number, to = bytes.length): number {
    let count = this.escapes
    let i = this.#isEscaped ? from + 1 : from
    let near = from + longString
    let isOpen = true
    this.#isEscaped = false
    for (; i < to; i++) {
      const byte = bytes[i]
      if (byte === ends) {
        isOpen = false
        i++
        break
      }
      if (byte === escapes) {
        count++
        i++
        if (i === to) this.#isEscaped = true
        near = i + longString
      } else if (i >= near) {
        const end = bytes.subarray(i, to).indexOf(quote)
        const last = end === -1 ? to : i + end
        const next = bytes.subarray(i, last).indexOf(backslash)
        i = (next === -1 ? last : i + next) - 1
        near = i + longString
      }
    }
    this.escapes = count
    this.isOpen = isOpen
    return Math.min(i, to)
  }
}

/** How many names the objects of a valid text have, at every level. */
export const countNames = (bytes: Uint8Array): number => {
  const to = bytes.length
  let count = 0
  for (let i = 0; i < to; i++) {
    const byte = bytes[i]
    if (byte === colon) count++
    else if (byte === quote) {
      const end = stringEnd(bytes, i, to)
      if (end === -1) return count
      i = end - 1
    }
  }
  return count
}

/** Whether the brackets of a JSON text are deeper in each other than this. Those in its strings count too. */
export const isDeeper = (text: string, levels: number): boolean => {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === 0x5b || char === 0x7b) {
      if (++depth > levels) return true
    } else if (char === 0x5d || char === 0x7d) depth--
  }
  return false
}

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
    const strings = this.#strings
    let isOpen = strings.isOpen
    let i = 0
    while (i < chunk.length) {
      const from = i
      if (isOpen) {
        i = strings.read(chunk, i)
        isOpen = strings.isOpen
        this.#lastString += i - from
      } else {
        i = this.#structure(chunk, i)
        isOpen = chunk[i - 1] === ends
        if (isOpen) this.#lastString = 0
      }
    }
    strings.isOpen = isOpen
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

/** About this many bytes outside of strings are read in one slice. */
const sliceBytes = 512 * 1024

/** A string counts as this many bytes, and each window of a long one too. Its end is mostly found by `indexOf`, which is fast. */
const perString = 8
const windowBytes = 256 * 1024
const perWindow = 64 * 1024

/** Where the window after the one up to `end` begins: not at an escaped character. */
const nextWindow = (bytes: Uint8Array, from: number, end: number): number => {
  let before = end
  while (before > from && bytes[before - 1] === escapes) before--
  return (end - before) % 2 === 0 ? end : end + 1
}

/** A member's value. If it is a list, `items` is their number, and `areObjects` whether all of them are objects. */
interface Found {
  readonly start: number
  readonly end: number
  readonly items: number
  readonly areObjects: boolean
}

const nameAt = (names: ReadonlyArray<Uint8Array>, bytes: Uint8Array, from: number, to: number): number =>
  names.findIndex((name) => name.length === to - from && name.every((byte, i) => bytes[from + i] === byte))

/**
 * Reports members of the object or list at `from`, without parsing it and in slices: it yields after each, so that others can be
 * served in between. A list has no names. Returns whether the text up to `to` is well-formed, as far as its strings and brackets
 * tell. A name that is written with escapes is not found.
 */
export function* scanMembers(
  bytes: Uint8Array,
  from: number,
  to: number,
  names: ReadonlyArray<Uint8Array>,
  onMember: (name: number, found: Found) => void
): Generator<void, boolean> {
  let i = skipSpace(bytes, from, to)
  const isObject = bytes[i] === leftBrace
  let left = sliceBytes
  let depth = 0
  /** The name of the member at hand, -1 if nobody asks for it. */
  let name = -1
  let expectsName = isObject
  let start = 0
  let items = 0
  let areObjects = true
  const ended = (end: number) => {
    if (name !== -1) onMember(name, { start: skipSpace(bytes, start, end), end, items, areObjects })
    name = -1
    expectsName = isObject
  }
  const item = (at: number) => {
    const first = bytes[skipSpace(bytes, at, to)]
    if (first === rightBracket) return
    items++
    areObjects &&= first === leftBrace
  }
  for (; i < to; i++) {
    if (--left < 0) {
      yield
      left = sliceBytes
    }
    const byte = bytes[i] ?? 0
    const kind = kinds[byte]
    if (kind === 0) {
      if (depth === 0) return false
      continue
    }
    if (kind === opensString) {
      let window = i + 1
      let end = -1
      while (end === -1 && window < to) {
        const near = Math.min(window + windowBytes, to)
        end = stringEnd(near === to ? bytes : bytes.subarray(0, near), window - 1, near)
        if (end !== -1) break
        window = nextWindow(bytes, window, near)
        left -= perWindow
        if (left < 0) {
          yield
          left = sliceBytes
        }
      }
      if (end === -1 || depth === 0) return false
      if (depth === 1 && expectsName) {
        name = nameAt(names, bytes, i + 1, end - 1)
        expectsName = false
      }
      left -= perString
      i = end - 1
    } else if (kind === opens) {
      if (++depth === 2 && name !== -1) {
        items = 0
        areObjects = true
        if (byte === leftBracket) item(i + 1)
      }
    } else if (kind === closes) {
      if (depth === 1) ended(i)
      if (--depth <= 0) return depth === 0 && skipSpace(bytes, i + 1, to) === to
    } else if (depth === 1) {
      if (kind === separates) ended(i)
      else start = i + 1
    } else if (depth === 2 && kind === separates && name !== -1) item(i + 1)
  }
  return false
}
