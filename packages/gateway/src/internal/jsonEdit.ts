import * as Utf8 from "@tollgate/contract/Utf8"
import {
  backslash,
  comma,
  leftBrace,
  quote,
  rightBrace,
  skipSpace,
  stringEnd,
  valueEnd,
  valueStart
} from "./jsonScan.ts"

// Edits JSON text in place. A number that no double holds, a name that stands twice, an odd escape: what is not edited
// keeps its bytes.

/** A member of an object: its name with the quotes, then its value. */
interface Member {
  readonly from: number
  readonly nameEnd: number
  readonly start: number
  readonly end: number
}

interface Cut {
  readonly from: number
  readonly to: number
  readonly put: Uint8Array
}

const nothing = new Uint8Array(0)

/** A name at each level: `["stream_options", "include_usage"]`. */
type Path = readonly [string, ...ReadonlyArray<string>]

/** `undefined`: no object stands there. */
const membersAt = (bytes: Uint8Array, at: number, to: number): ReadonlyArray<Member> | undefined => {
  if (at >= to || bytes[at] !== leftBrace) return undefined
  const members: Array<Member> = []
  let from = skipSpace(bytes, at + 1, to)
  if (from < to && bytes[from] === rightBrace) return members
  while (from < to && bytes[from] === quote) {
    const nameEnd = stringEnd(bytes, from, to)
    const start = nameEnd === -1 ? -1 : valueStart(bytes, nameEnd, to)
    const end = start === -1 ? -1 : valueEnd(bytes, start, to)
    if (end === -1) return undefined
    members.push({ from, nameEnd, start, end })
    const next = skipSpace(bytes, end, to)
    if (next < to && bytes[next] === rightBrace) return members
    if (next >= to || bytes[next] !== comma) return undefined
    from = skipSpace(bytes, next + 1, to)
  }
  return undefined
}

/** Tells whether the name that stands there is this one, however it is written. */
const nameTest = (name: string) => {
  // What is no text in Unicode has no bytes, and can only be written with escapes.
  const plain = name.isWellFormed() ? Utf8.encode(name) : undefined
  return (bytes: Uint8Array, { from, nameEnd }: Member): boolean => {
    const length = nameEnd - from - 2
    if (plain !== undefined && plain.length >= length) {
      // An escape is longer than what it stands for.
      return plain.length === length && plain.every((byte, i) => bytes[from + 1 + i] === byte)
    }
    for (let i = from + 1; i < nameEnd; i++) {
      if (bytes[i] === backslash) return textAt(bytes, from, nameEnd) === name
    }
    return false
  }
}

const textAt = (bytes: Uint8Array, from: number, to: number): unknown => {
  try {
    return JSON.parse(Utf8.decode(bytes.subarray(from, to)))
  } catch {
    return undefined
  }
}

/** The bytes between `start` and `end`, with the cuts made. */
const splice = (bytes: Uint8Array, start: number, end: number, cuts: ReadonlyArray<Cut>): Uint8Array => {
  const out = new Uint8Array(cuts.reduce((size, { from, put, to }) => size + put.length - (to - from), end - start))
  let read = start
  let written = 0
  const append = (part: Uint8Array) => {
    out.set(part, written)
    written += part.length
  }
  for (const { from, put, to } of cuts) {
    append(bytes.subarray(read, from))
    append(put)
    read = to
  }
  append(bytes.subarray(read, end))
  return out
}

/** Bytes that `JSON.parse` never sees, because whoever decodes them takes them away. */
const firstByte = (bytes: Uint8Array): number =>
  skipSpace(bytes, bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0)

const named = (bytes: Uint8Array, members: ReadonlyArray<Member>, name: string): ReadonlyArray<Member> => {
  const isIt = nameTest(name)
  return members.filter((member) => isIt(bytes, member))
}

const cutsToSet = (bytes: Uint8Array, at: number, [name, ...inner]: Path, json: string): ReadonlyArray<Cut> => {
  const members = membersAt(bytes, at, bytes.length)
  if (members === undefined) return []
  const value = inner.reduceRight((text, key) => `{${JSON.stringify(key)}:${text}}`, json)
  const found = named(bytes, members, name)
  if (found.length === 0) {
    const last = members.at(-1)
    const from = last === undefined ? at + 1 : last.end
    const put = `${last === undefined ? "" : ","}${JSON.stringify(name)}:${value}`
    return [{ from, to: from, put: Utf8.encode(put) }]
  }
  const [next, ...more] = inner
  return found.flatMap(({ end, start }) =>
    next !== undefined && bytes[start] === leftBrace
      ? cutsToSet(bytes, start, [next, ...more], json)
      : [{ from: start, to: end, put: Utf8.encode(value) }]
  )
}

/**
 * The object with one member set, at the end where it had none. A name that stands several times gets the value every time,
 * so that it does not matter which of them a reader takes. What stands in the way of a path is replaced. Bytes that are no
 * object come back as they are.
 */
export const set = (bytes: Uint8Array, path: Path, json: string): Uint8Array => {
  const cuts = cutsToSet(bytes, firstByte(bytes), path, json)
  return cuts.length === 0 ? bytes : splice(bytes, 0, bytes.length, cuts)
}

/** Whether the object that `value` was read from, or one that is a member of it, has a name twice. */
export const isRepeating = (bytes: Uint8Array, value: object): boolean => {
  const members = membersAt(bytes, firstByte(bytes), bytes.length) ?? []
  return (
    members.length !== Object.keys(value).length ||
    members.some(({ end, start }) => {
      if (bytes[start] !== leftBrace) return false
      const inner = textAt(bytes, start, end)
      return membersAt(bytes, start, end)?.length !== Object.keys(inner ?? {}).length
    })
  )
}

/** How often the name stands in the object. */
export const occurrences = (bytes: Uint8Array, name: string): number =>
  named(bytes, membersAt(bytes, firstByte(bytes), bytes.length) ?? [], name).length

/** The object between `from` and `to` without the members of that name. `undefined`: it has none, or is no object. */
export const without = (name: string) => {
  const isIt = nameTest(name)
  return (bytes: Uint8Array, from: number, to: number): Uint8Array | undefined => {
    const open = skipSpace(bytes, from, to)
    const members = membersAt(bytes, open, to) ?? []
    const cuts: Array<Cut> = []
    let kept = open + 1
    let end = kept
    let gone: number | undefined
    for (const member of members) {
      end = member.end
      if (isIt(bytes, member)) gone ??= member.from
      else {
        if (gone !== undefined) cuts.push({ from: gone, to: member.from, put: nothing })
        gone = undefined
        kept = end
      }
    }
    if (gone !== undefined) cuts.push({ from: kept, to: end, put: nothing })
    return cuts.length === 0 ? undefined : splice(bytes, from, to, cuts)
  }
}
