import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import { Checked, Typed } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import type { ResponsesBody, ResponsesResult } from "../protocols/openaiResponses.ts"
import type { ResponsesEvent } from "../protocols/openaiResponsesEvents.ts"
import * as limits from "../limits.ts"
import * as prices from "../price/modelPrices.ts"

const sendItems = "this gateway keeps no responses; send the items of the conversation in `input` instead"

/**
 * Fields that make an upstream keep a response, or read a kept one. All callers share the operator's account there, so any of
 * them could read what another stored.
 */
const refused: Readonly<Record<string, string>> = {
  background: "responses in the background are not offered; leave it out, and use `stream` for long ones",
  conversation: sendItems,
  previous_response_id: sendItems,
  prompt: "prompts that are stored upstream are not offered; send `instructions` and `input` instead",
  store: "nothing is stored; leave it out or set it to false"
}

const isUsed = (value: unknown): boolean => value !== undefined && value !== null && value !== false

/** A reference may leave its type out. A message may too, and has a role. */
const isReference = (item: unknown): boolean => {
  if (!Predicate.isObject(item)) return false
  const type: unknown = item["type"] ?? undefined
  return type === "item_reference" || (type === undefined && !Predicate.isString(item["role"]))
}

const problem = (body: Readonly<Record<string, unknown>>): Schema.FilterOutput => {
  for (const field in refused) {
    if (Object.hasOwn(body, field) && isUsed(body[field])) return { path: [field], issue: refused[field] ?? "" }
  }
  const { input } = body
  const at = Array.isArray(input) ? input.findIndex(isReference) : -1
  return at === -1 ? undefined : { path: ["input", at], issue: `${sendItems}, with \`store\` set to false` }
}

/** A body that asks for no state upstream. Its other fields pass through unchecked. */
const StatelessBody = Checked<ResponsesBody>(problem)

export const summary = "Answer a conversation, in the format of OpenAI's Responses"
export const description =
  "A language model writes, summarizes, translates, explains or codes. Nothing is stored: send the items of earlier answers in input. Background responses and references to stored ones are " +
  "refused, and so are tools that the upstream runs itself, unless the operator allows them."

export const responses = Operation.make({
  ...kinds.modelCall,
  id: "responses",
  path: "/v1/responses",
  beyond: true,
  request: { body: StatelessBody },
  success: Typed<ResponsesResult>(),
  list: "output",
  event: Typed<ResponsesEvent>(),
  family: "openai",
  price: prices.responses,
  limit: limits.inference,
  client: { stream: "responses" }
})
