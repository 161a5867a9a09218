import { attempt } from "@tollgate/contract/attempt"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Predicate from "effect/Predicate"
import { emptyBytes } from "./emptyBytes.ts"
import { backslash, countNames, leftBrace, leftBracket, skipSpace, valueEnd, walk } from "./jsonScan.ts"

// Edits JSON text without parsing it, so that everything else keeps its bytes: large numbers, duplicate names, escapes.

/** A member of an object: its name with the quotes, then its value. */
interface Member {
  readonly from: number
  readonly nameEnd: number
  readonly start: number
  readonly end: number
}

/** Replaces the bytes from `from` to `to`. */
export interface Edit {
  readonly from: number
  readonly to: number
  readonly insert: Uint8Array
}

/** A name at each level: `["stream_options", "include_usage"]`. A value on the way that is not an object is replaced. */
type Path = readonly [string, ...ReadonlyArray<string>]

/** The members of the object at `at`. `undefined`: there is no valid object. */
const membersAt = (bytes: Uint8Array, at: number, to: number): ReadonlyArray<Member> | undefined => {
  if (bytes[at] !== leftBrace) return undefined
  const members: Array<Member> = []
  const close = walk(bytes, at, to, (start, from, nameEnd) => {
    const end = valueEnd(bytes, start, to)
    members.push({ from, nameEnd, start, end })
    return end
  })
  return close === -1 ? undefined : members
}

/** Matches a member's name, also if it is written with escapes. */
const nameMatcher = (name: string) => {
  // A lone surrogate has no UTF-8 bytes: such a name is always escaped.
  const plain = name.isWellFormed() ? Utf8.encode(name) : undefined
  return (bytes: Uint8Array, { from, nameEnd }: Member): boolean => {
    const length = nameEnd - from - 2
    if (plain !== undefined && plain.length >= length) {
      // An escape is longer than the character it encodes, so a name of this length has none.
      return plain.length === length && plain.every((byte, i) => bytes[from + 1 + i] === byte)
    }
    for (let i = from + 1; i < nameEnd; i++) {
      if (bytes[i] === backslash) return parseAt(bytes, from, nameEnd) === name
    }
    return false
  }
}

const parseAt = (bytes: Uint8Array, from: number, to: number): unknown =>
  attempt(() => JSON.parse(Utf8.decode(bytes.subarray(from, to))))

/** Copies the bytes from `start` to `end` and applies the edits. */
export const splice = (bytes: Uint8Array, start: number, end: number, edits: ReadonlyArray<Edit>): Uint8Array => {
  const out = new Uint8Array(
    edits.reduce((size, { from, insert, to }) => size + insert.length - (to - from), end - start)
  )
  let read = start
  let written = 0
  const append = (part: Uint8Array) => {
    out.set(part, written)
    written += part.length
  }
  for (const { from, insert, to } of edits) {
    append(bytes.subarray(read, from))
    append(insert)
    read = to
  }
  append(bytes.subarray(read, end))
  return out
}

/** Skips a byte order mark and white space. */
export const textStart = (bytes: Uint8Array): number =>
  skipSpace(bytes, bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0)

const membersNamed = (bytes: Uint8Array, members: ReadonlyArray<Member>, name: string): ReadonlyArray<Member> => {
  const matches = nameMatcher(name)
  return members.filter((member) => matches(bytes, member))
}

const editsToSet = (bytes: Uint8Array, at: number, [name, ...inner]: Path, json: string): ReadonlyArray<Edit> => {
  const members = membersAt(bytes, at, bytes.length)
  if (members === undefined) return []
  const value = inner.reduceRight((text, key) => `{${JSON.stringify(key)}:${text}}`, json)
  const found = membersNamed(bytes, members, name)
  if (found.length === 0) {
    const last = members.at(-1)
    const from = last === undefined ? at + 1 : last.end
    const insert = `${last === undefined ? "" : ","}${JSON.stringify(name)}:${value}`
    return [{ from, to: from, insert: Utf8.encode(insert) }]
  }
  const [next, ...more] = inner
  return found.flatMap(({ end, start }) =>
    next !== undefined && bytes[start] === leftBrace
      ? editsToSet(bytes, start, [next, ...more], json)
      : [{ from: start, to: end, insert: Utf8.encode(value) }]
  )
}

/**
 * Sets one member, or appends it. Duplicates of the name all get the value, since readers differ in which one they take.
 * Bytes that are not an object are returned unchanged.
 */
export const set = (bytes: Uint8Array, path: Path, json: string): Uint8Array => {
  const edits = editsToSet(bytes, textStart(bytes), path, json)
  return edits.length === 0 ? bytes : splice(bytes, 0, bytes.length, edits)
}

export interface NamedMember extends Member {
  readonly name: string
}

/** The members of the text's object, in order, duplicates too. `undefined`: it is not an object. */
export const members = (bytes: Uint8Array): ReadonlyArray<NamedMember> | undefined =>
  membersAt(bytes, textStart(bytes), bytes.length)?.map((member) => ({
    ...member,
    name: String(parseAt(bytes, member.from, member.nameEnd))
  }))

/** The items of the array from `start` to `end`. `undefined`: it is not valid. */
export const items = (
  bytes: Uint8Array,
  start: number,
  end: number
): ReadonlyArray<Pick<Member, "start" | "end">> | undefined => {
  const found: Array<Pick<Member, "start" | "end">> = []
  const close = walk(bytes, start, end, (start) => {
    const to = valueEnd(bytes, start, end)
    found.push({ start, end: to })
    return to
  })
  return close === -1 ? undefined : found
}

/**
 * How many names the objects of a value have, at every level. -1: one ends in a backslash. In V8 13.6 it can be another name that was
 * written with escapes: once somebody has sent `{"a":1,"\\":2}`, `JSON.parse` reads `{"a":1,"\u006d":2}` as that.
 */
const countKeys = (value: object): number => {
  let count = 0
  const rest: Array<unknown> = [value]
  while (rest.length > 0) {
    const next = rest.pop()
    if (Array.isArray(next)) for (const item of next) rest.push(item)
    else if (Predicate.isObject(next))
      for (const name in next) {
        if (name.endsWith("\\")) return -1
        count++
        rest.push(next[name])
      }
  }
  return count
}

/** Whether an object of the text has a duplicate name, at any level, or one that may be misread. `value` is what was parsed of it. */
export const hasDuplicateNames = (bytes: Uint8Array, value: object): boolean => countNames(bytes) !== countKeys(value)

const repeatedIn = (bytes: Uint8Array, members: ReadonlyArray<Member>): string | undefined => {
  const seen = new Set<string>()
  for (const { from, nameEnd } of members) {
    const name = String(parseAt(bytes, from, nameEnd))
    if (seen.has(name)) return name
    seen.add(name)
  }
  return undefined
}

/** Each level is read once more. */
const deepestNamed = 8

/** The name that an object of the text has twice: `a`, or `a.0.b` further down. `undefined`: there is none, or it is too deep. */
export const duplicateName = (bytes: Uint8Array): string | undefined => {
  let level = [{ path: "", start: textStart(bytes), end: bytes.length }]
  for (let depth = 0; depth < deepestNamed; depth++) {
    const next: typeof level = []
    for (const { end, path, start } of level) {
      if (bytes[start] === leftBracket) {
        items(bytes, start, end)?.forEach((item, i) => next.push({ ...item, path: `${path}${i}.` }))
        continue
      }
      const members = membersAt(bytes, start, end) ?? []
      const name = repeatedIn(bytes, members)
      if (name !== undefined) return `${path}${name}`
      for (const { end, from, nameEnd, start } of members) {
        next.push({ start, end, path: `${path}${String(parseAt(bytes, from, nameEnd))}.` })
      }
    }
    level = next
  }
  return undefined
}

export const countMembers = (bytes: Uint8Array, name: string): number =>
  membersNamed(bytes, membersAt(bytes, textStart(bytes), bytes.length) ?? [], name).length

/** Removes the members of that name from the object. `undefined`: it has none, or is not an object. */
export const without = (name: string) => {
  const matches = nameMatcher(name)
  return (bytes: Uint8Array, from: number, to: number): Uint8Array | undefined => {
    const open = skipSpace(bytes, from, to)
    const members = membersAt(bytes, open, to) ?? []
    const edits: Array<Edit> = []
    let keptEnd = open + 1
    let end = keptEnd
    let removedFrom: number | undefined
    for (const member of members) {
      end = member.end
      if (matches(bytes, member)) removedFrom ??= member.from
      else {
        if (removedFrom !== undefined) edits.push({ from: removedFrom, to: member.from, insert: emptyBytes })
        removedFrom = undefined
        keptEnd = end
      }
    }
    if (removedFrom !== undefined) edits.push({ from: keptEnd, to: end, insert: emptyBytes })
    return edits.length === 0 ? undefined : splice(bytes, from, to, edits)
  }
}
