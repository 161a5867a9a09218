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
export const opensString = 1
export const opens = 2
export const closes = 3
export const separates = 4
export const endsName = 5
/** What a byte outside of strings does. 0: nothing. */
export const kinds = new Uint8Array(256)
kinds[quote] = opensString
kinds[leftBrace] = kinds[leftBracket] = opens
kinds[rightBrace] = kinds[rightBracket] = closes
/** The same for those who look for the end of a value only. */
const brackets = kinds.slice()
kinds[comma] = separates
kinds[colon] = endsName

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

/** Reads strings that arrive in chunks, and counts their escapes. */
export class StringReader {
  /** The string goes on in the next chunk. */
  isOpen = false
  escapes = 0
  #isEscaped = false

  /** Reads from behind the opening quote, or from where the chunk before ended. Returns the index after the closing quote, or `to`. */
  read(bytes: Uint8Array, from: number, to = bytes.length): number {
    let escapes = this.escapes
    let i = this.#isEscaped ? from + 1 : from
    let near = from + longString
    let isOpen = true
    this.#isEscaped = false
    for (; i < to; i++) {
      const byte = bytes[i]
      if (byte === quote) {
        isOpen = false
        i++
        break
      }
      if (byte === backslash) {
        escapes++
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
    this.escapes = escapes
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
