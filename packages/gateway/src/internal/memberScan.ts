import {
  closes,
  kinds,
  leftBrace,
  leftBracket,
  opens,
  opensString,
  rightBracket,
  separates,
  skipSpace,
  StringReader
} from "./jsonScan.ts"

/** About this many bytes outside of strings are read in one slice. */
const sliceBytes = 512 * 1024

/** A string counts as this many bytes, and each window of a long one too. Its end is mostly found by `indexOf`, which is fast. */
const perString = 8
const windowBytes = 256 * 1024
const perWindow = 64 * 1024

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
  const strings = new StringReader()
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
      let end = i + 1
      do {
        end = strings.read(bytes, end, Math.min(end + windowBytes, to))
        if (!strings.isOpen) break
        left -= perWindow
        if (left < 0) {
          yield
          left = sliceBytes
        }
      } while (end < to)
      if (strings.isOpen || depth === 0) return false
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
