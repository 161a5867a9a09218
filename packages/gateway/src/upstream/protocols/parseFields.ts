import type { FieldPath } from "@tollgate/contract/price/Price"
import * as Utf8 from "@tollgate/contract/Utf8"
import { textStart } from "../../internal/jsonEdit.ts"
import { leftBrace, leftBracket, quote, scanMembers } from "../../internal/jsonScan.ts"
import { tryParse } from "../../internal/jsonValue.ts"

/** A smaller value is parsed whole. */
const smallBytes = 16 * 1024

const item = {}

/** `Array.from` takes much longer. */
const listOf = (length: number, item: unknown): ReadonlyArray<unknown> => {
  const list: Array<unknown> = []
  for (let i = 0; i < length; i++) list.push(item)
  return list
}

function* objectOf(
  bytes: Uint8Array,
  start: number,
  end: number,
  paths: ReadonlyArray<FieldPath>
): Generator<void, object | undefined> {
  const names = [...new Set(paths.flatMap(([name]) => name ?? []))]
  const found = new Map<string, unknown>()
  const large: Array<readonly [name: string, start: number, end: number]> = []
  const isValid = yield* scanMembers(bytes, start, end, names.map(Utf8.encode), (i, member) => {
    const name = names[i] ?? ""
    const first = bytes[member.start]
    if (member.end - member.start <= smallBytes || first === quote)
      found.set(name, tryParse(bytes.subarray(member.start, member.end)))
    else if (first === leftBracket) found.set(name, listOf(member.items, member.areObjects ? item : null))
    else large.push([name, member.start, member.end])
  })
  if (!isValid) return undefined
  for (const [name, start, end] of large) {
    const inner = paths.flatMap(([first, ...rest]) => (first === name ? [rest] : []))
    found.set(name, bytes[start] === leftBrace ? yield* objectOf(bytes, start, end, inner) : undefined)
  }
  return Object.fromEntries(found)
}

function* emptyList(bytes: Uint8Array, start: number): Generator<void, ReadonlyArray<never> | undefined> {
  return (yield* scanMembers(bytes, start, bytes.length, [], () => {})) ? [] : undefined
}

/**
 * Parses only these fields of a large JSON text, in slices. Other fields are left out, which could take long, the items of a long
 * list are empty, and so is the text itself if it is a list. `undefined`: it is not JSON, as far as its strings and brackets tell.
 */
export function* parseFields(bytes: Uint8Array, paths: ReadonlyArray<FieldPath>): Generator<void, unknown> {
  const start = textStart(bytes)
  if (bytes[start] === leftBrace) return yield* objectOf(bytes, start, bytes.length, paths)
  if (bytes[start] === leftBracket) return yield* emptyList(bytes, start)
  return tryParse(bytes)
}
