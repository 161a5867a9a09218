import * as Utf8 from "@tollgate/contract/Utf8"
import * as Bytes from "effect/Bytes"
import * as Predicate from "effect/Predicate"
import { type Edit, items, members, set, splice, textStart, without } from "../internal/jsonEdit.ts"
import { tryParse } from "../internal/jsonValue.ts"
import { type Field, fieldScanner } from "../upstream/protocols/fieldScanner.ts"

/** An item of a conversation. Its bytes are sent again as they are, with all digits of its numbers. */
export interface Item {
  readonly bytes: Uint8Array
  readonly value: unknown
}

const comma = Utf8.encode(",")

export const joined = (items: ReadonlyArray<Uint8Array>): Uint8Array =>
  Bytes.concat(items.flatMap((item, i) => (i === 0 ? [item] : [comma, item])))

/** The bytes that they take in a list. */
export const sizeOf = (items: ReadonlyArray<Uint8Array>): number =>
  items.reduce((sum, item) => sum + item.length + 1, 0)

export const parsed = (bytes: Uint8Array): Item => ({ bytes, value: tryParse(bytes) })

const itemsIn = (bytes: Uint8Array, start = 0, end = bytes.length): ReadonlyArray<Uint8Array> =>
  (items(bytes, start, end) ?? []).map((item) => bytes.subarray(item.start, item.end))

/** The items of a request. `input` is what was parsed of them: a text is what the user says. */
export const itemsOf = (body: Uint8Array, input: unknown, field = "input"): ReadonlyArray<Item> => {
  if (Predicate.isString(input)) {
    return [parsed(Utf8.encode(JSON.stringify({ type: "message", role: "user", content: input })))]
  }
  const found = members(body)?.find(({ name }) => name === field)
  if (found === undefined || !Array.isArray(input)) return []
  return itemsIn(body, found.start, found.end).map((bytes, i) => ({ bytes, value: input[i] }))
}

const withoutPrevious = without("previous_response_id")
const withoutConversation = without("conversation")

/** The request with these items in place of references. */
export const withItems = (body: Uint8Array, items: Uint8Array): Uint8Array => {
  const alone = withoutPrevious(body, textStart(body), body.length) ?? body
  const own = set(withoutConversation(alone, textStart(alone), alone.length) ?? alone, ["input"], "[]")
  const edits = (members(own) ?? []).flatMap(({ name, start }) =>
    name === "input" ? [{ from: start + 1, to: start + 1, insert: items }] : []
  )
  return splice(own, 0, own.length, edits)
}

const isMade = (item: unknown): boolean => {
  if (!Predicate.isObject(item)) return false
  const { role, type } = item
  return role === "assistant" || type === "reasoning" || (Predicate.isString(type) && type.endsWith("_call"))
}

/** Where turns end: after each run of items that the model made. */
export const turnEnds = (items: ReadonlyArray<Item>): ReadonlyArray<number> =>
  items.flatMap(({ value }, i) => (isMade(value) && !isMade(items[i + 1]?.value) ? [i + 1] : []))

/** Reasoning that no upstream can read, because its encrypted content is missing. */
export const isBareReasoning = (item: unknown): boolean =>
  Predicate.isObject(item) && item["type"] === "reasoning" && !Predicate.isString(item["encrypted_content"])

export interface View {
  readonly previousId: string | undefined
  /** The upstream was asked for encrypted reasoning, and the caller did not ask for it. */
  readonly hidesReasoning: boolean
  /** `false`: it is not kept after all. */
  readonly isKept?: boolean
}

type Tag = "type" | "id" | "status" | "store" | "previous" | "sealed" | "output" | "response"

const item = { encrypted_content: { tag: "sealed" } } as const
const response = {
  id: { tag: "id" },
  status: { tag: "status" },
  store: { tag: "store" },
  previous_response_id: { tag: "previous" },
  output: { tag: "output", items: { members: item } }
} satisfies Record<string, Field<Tag>>

/** Reads a response, an item of one, or an event that has one of both. */
const scan = fieldScanner<Tag>({
  members: {
    ...item,
    ...response,
    type: { tag: "type" },
    item: { members: item },
    response: { tag: "response", members: response }
  }
})

/** The values of these tags. */
const fieldsOf = (bytes: Uint8Array): Partial<Record<Tag, Uint8Array>> => {
  const found: Partial<Record<Tag, Uint8Array>> = {}
  const isValid = scan(bytes, 0, bytes.length, (tag, start, end) => (found[tag] = bytes.subarray(start, end)))
  return isValid ? found : {}
}

/** A response, an item or an event as the caller gets it. `undefined`: it is the same. */
export const shown = (
  bytes: Uint8Array,
  { hidesReasoning, isKept = true, previousId }: View,
  from = 0,
  to = bytes.length,
  onField?: (tag: Tag, start: number, end: number) => void
): Uint8Array | undefined => {
  const edits: Array<Edit> = []
  const values = { store: isKept, previous: previousId ?? null, ...(hidesReasoning ? { sealed: null } : {}) }
  const isValid = scan(bytes, from, to, (tag, start, end) => {
    onField?.(tag, start, end)
    const value = (values as Partial<Record<Tag, unknown>>)[tag]
    if (value !== undefined) edits.push({ from: start, to: end, insert: Utf8.encode(JSON.stringify(value)) })
  })
  return isValid && edits.length > 0 ? splice(bytes, from, to, edits) : undefined
}

const isLast = /^"response\.(?:completed|incomplete)"$/

/** An event as the caller gets it, and the response if it is the last one. */
export const shownEvent = (bytes: Uint8Array, view: View, from: number, to: number) => {
  let type = ""
  let response: Uint8Array | undefined
  const event = shown(bytes, view, from, to, (tag, start, end) => {
    if (tag === "type") type = Utf8.decode(bytes.subarray(start, end))
    if (tag === "response") response = bytes.subarray(start, end)
  })
  return { event, response: isLast.test(type) ? response?.slice() : undefined }
}

/** A longer id is none that the gateway keeps. */
const longestId = 200

const idIn = (id: unknown): string | undefined =>
  Predicate.isString(id) && id !== "" && id.length <= longestId ? id : undefined

/** The id of an item by which it can be referred to. */
export const idOf = (item: unknown): string | undefined => (Predicate.isObject(item) ? idIn(item["id"]) : undefined)

/** The id and the items of a response that has ended. `undefined`: it failed, or is of another form. */
export const ended = (bytes: Uint8Array) => {
  const { id, output, status } = fieldsOf(bytes)
  const named = id && idIn(tryParse(id))
  const isEnded = status === undefined || /^"(?:completed|incomplete)"$/.test(Utf8.decode(status))
  return isEnded && named !== undefined && output !== undefined ? { id: named, output: itemsIn(output) } : undefined
}

const lineFeed = 0x0a

/** What is kept of a call: a line of JSON, its new items as a list, and the response as the upstream sent it. */
export const written = (own: Uint8Array, response: Uint8Array, { hidesReasoning, previousId }: View): Uint8Array => {
  const head = JSON.stringify({ hidesReasoning, previousId, input: own.length + 2 })
  return Bytes.concat([Utf8.encode(`${head}\n[`), own, Utf8.encode("]"), response])
}

export interface Kept {
  readonly view: View
  readonly input: ReadonlyArray<Uint8Array>
  readonly response: Uint8Array
  readonly output: ReadonlyArray<Uint8Array>
}

/** What was `written`. */
export const read = (bytes: Uint8Array): Kept => {
  const from = bytes.indexOf(lineFeed) + 1
  const { input, ...view } = JSON.parse(Utf8.decode(bytes.subarray(0, from))) as View & { readonly input: number }
  const response = bytes.subarray(from + input)
  return { view, input: itemsIn(bytes, from, from + input), response, output: ended(response)?.output ?? [] }
}

/** The conversation after these responses, in order. */
export const itemsOfAll = (kept: ReadonlyArray<Kept>): ReadonlyArray<Uint8Array> =>
  kept.flatMap(({ input, output }) => [...input, ...output])
