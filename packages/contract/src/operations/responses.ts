import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import { Checked, Typed } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import type { ResponsesBody, ResponsesResult } from "../protocols/openaiResponses.ts"
import type { ResponsesEvent } from "../protocols/openaiResponsesEvents.ts"
import * as limits from "../limits.ts"
import * as prices from "../price/modelPrices.ts"

/** What would be kept upstream, or read from there. All callers share the operator's account at an upstream. */
const refused: Readonly<Record<string, string>> = {
  background: "responses in the background are not offered; leave it out, and use `stream` for long ones",
  prompt: "prompts that are stored upstream are not offered; send `instructions` and `input` instead"
}

const isUsed = (value: unknown): boolean => value !== undefined && value !== null && value !== false

/** The id that an item refers to. A reference may leave its type out: a message may too, and has a role. */
export const referenceOf = (item: unknown): unknown => {
  if (!Predicate.isObject(item)) return undefined
  const type: unknown = item["type"] ?? undefined
  const isReference = type === "item_reference" || (type === undefined && !Predicate.isString(item["role"]))
  return isReference ? (item["id"] ?? null) : undefined
}

/** The id of the conversation that a request goes on with. */
export const conversationOf = (conversation: unknown): unknown =>
  Predicate.isObject(conversation) ? (conversation["id"] ?? null) : (conversation ?? undefined)

const isText = (value: unknown): boolean => value === undefined || Predicate.isString(value)

const problem = (body: Readonly<Record<string, unknown>>): Schema.FilterOutput => {
  for (const field in refused) {
    if (Object.hasOwn(body, field) && isUsed(body[field])) return { path: [field], issue: refused[field] ?? "" }
  }
  const { input, previous_response_id: previous, store } = body
  const conversation = conversationOf(body["conversation"])
  if (isUsed(store) && store !== true) return { path: ["store"], issue: "must be true or false" }
  if (!isText(previous ?? undefined)) return { path: ["previous_response_id"], issue: "must be the id of a response" }
  if (!isText(conversation)) return { path: ["conversation"], issue: "must be the id of a conversation" }
  if (conversation !== undefined && (previous ?? undefined) !== undefined) {
    return { path: ["conversation"], issue: "cannot stand beside `previous_response_id`" }
  }
  if (conversation !== undefined && store === false) {
    return { path: ["store"], issue: "must be true with `conversation`, to which the response is added" }
  }
  const at = Array.isArray(input) ? input.findIndex((item) => !isText(referenceOf(item))) : -1
  return at === -1 ? undefined : { path: ["input", at, "id"], issue: "must be the id of an item" }
}

/** A body that asks for no state upstream. Its other fields pass through unchecked. */
const Body = Checked<ResponsesBody>(problem)

export const summary = "Answer a conversation, in the format of OpenAI's Responses"
export const description =
  "A language model writes, summarizes, translates, explains or codes. The gateway keeps the response for the account, unless store is false: go on from it with previous_response_id, or name a conversation. " +
  "Background responses are refused, and so are tools that the upstream runs itself, unless the operator allows them."

export const responses = Operation.make({
  ...kinds.modelCall,
  id: "responses",
  path: "/v1/responses",
  beyond: true,
  request: { body: Body },
  success: Typed<ResponsesResult>(),
  list: "output",
  event: Typed<ResponsesEvent>(),
  family: "openai",
  price: prices.responses,
  limit: limits.inference,
  client: { stream: "responses" }
})
