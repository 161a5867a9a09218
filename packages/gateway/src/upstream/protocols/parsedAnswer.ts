import { type FieldPath, isByModel } from "@tollgate/contract/price/Price"
import * as Utf8 from "@tollgate/contract/Utf8"
import { textStart } from "../../internal/jsonEdit.ts"
import { leftBrace, leftBracket, quote, scanMembers } from "../../internal/jsonScan.ts"
import { tryParse } from "../../internal/jsonValue.ts"
import { operations } from "@tollgate/contract/operations"
import { shapeFields } from "@tollgate/contract/price/answerShape"
import { contractOf } from "@tollgate/contract/price/contracts"
import type { Priced } from "../../exchange/Exchange.ts"
import type { Answer } from "../../exchange/Reply.ts"
import { isJson, isSuccess } from "./message.ts"

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

export const completions: ReadonlySet<string> = new Set(
  operations.filter(({ price }) => isByModel(price)).map(({ id }) => id)
)

/** What any answer may declare: a failure, also of a tool. */
const marks: ReadonlyArray<FieldPath> = [["success"], ["isError"]]

/** The fields on which the cost of an answer depends. `undefined`: those of a completion, which is parsed whole. */
const fieldsOf = ({ operation, price }: Priced): ReadonlyArray<FieldPath> | undefined => {
  const own = completions.has(operation.id) ? undefined : contractOf(price).answerFields?.(price)
  return own && [...own, ...marks, ...shapeFields(operation.success).map((name) => [name])]
}

interface Read {
  readonly fields: ReadonlySet<string>
  readonly value: unknown
}

const read = new WeakMap<Uint8Array, Read>()

const nameOf = (field: FieldPath): string => JSON.stringify(field)

/** Reads a large answer in slices, as far as its cost depends on it, before `parsedAnswer` is asked. */
export function* readAnswer(exchange: Priced, { bytes, contentType, status }: Answer): Generator<void, void> {
  const fields = isSuccess(status) && isJson(contentType) ? fieldsOf(exchange) : undefined
  if (fields !== undefined)
    read.set(bytes, { fields: new Set(fields.map(nameOf)), value: yield* parseFields(bytes, fields) })
}

/** The answer, or of one that was read before only the fields on which its cost depends. */
export const parsedAnswer = (exchange: Priced, bytes: Uint8Array): unknown => {
  const known = read.get(bytes)
  return known !== undefined && fieldsOf(exchange)?.every((field) => known.fields.has(nameOf(field))) === true
    ? known.value
    : tryParse(bytes)
}
