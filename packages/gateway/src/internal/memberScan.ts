import {
  backslash,
  colon,
  comma,
  leftBrace,
  leftBracket,
  quote,
  rightBrace,
  rightBracket,
  skipSpace,
  stringEnd
} from "./jsonScan.ts"

/** About this many bytes outside of strings are read in one slice. */
const sliceBytes = 512 * 1024

/** A string counts as this many bytes, and each window of a long one too. Its end is mostly found by `indexOf`, which is fast. */
const perString = 8
const windowBytes = 256 * 1024
const perWindow = 64 * 1024

/** Where the window after the one up to `end` begins: not at an escaped character. */
const nextWindow = (bytes: Uint8Array, from: number, end: number): number => {
  let before = end
  while (before > from && bytes[before - 1] === backslash) before--
  return (end - before) % 2 === 0 ? end : end + 1
}

const opensString = 1
const opens = 2
const closes = 3
const separates = 4
const kinds = new Uint8Array(256)
kinds[quote] = opensString
kinds[leftBrace] = kinds[leftBracket] = opens
kinds[rightBrace] = kinds[rightBracket] = closes
kinds[comma] = kinds[colon] = separates

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
      if (byte === comma) ended(i)
      else start = i + 1
    } else if (depth === 2 && byte === comma && name !== -1) item(i + 1)
  }
  return false
}
