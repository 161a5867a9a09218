import { responses as operation } from "@tollgate/contract/operations/responses"
import { responsesInputTokens as counted } from "@tollgate/contract/operations/responsesInputTokens"
import { codecs } from "@tollgate/protocols"
import { InvalidInput } from "../BilledAnswer.ts"
import { answerer, counter, created, type Dialect, type Place } from "../model/answerer.ts"
import { type Fields, fieldsOf, listOf, thinkingTokens } from "../model/request.ts"
import { effort } from "../text/tokens.ts"

const repeated = [
  "instructions",
  "max_output_tokens",
  "metadata",
  "parallel_tool_calls",
  "reasoning",
  "temperature",
  "text",
  "tool_choice",
  "tools",
  "top_p",
  "truncation",
  "user"
]

/** The caller's settings, which an answer repeats. */
const settingsOf = (body: Fields): Fields =>
  Object.fromEntries(
    Object.entries(body).filter(([name, value]) => repeated.includes(name) && value !== null && value !== undefined)
  )

/** The reasoning of an answer, as callers who ask for it get it. It depends on the item's id. */
const sealedReasoning = (id: string): string => `sandbox-${id.slice(3)}`

const invalid = (param: string, message: string) => new InvalidInput({ param, message })

/** Like an upstream that is told to keep nothing, it takes no reference, and reasoning only as it sent it. */
const brokenReference = (body: Fields): InvalidInput | undefined => {
  const items = listOf(body["input"])
  const calls = new Set(items.map((item) => (item["type"] === "function_call" ? item["call_id"] : undefined)))
  for (const { call_id: call, encrypted_content: sealed, id, type } of items) {
    if (type === "function_call_output" && (call === undefined || !calls.has(call)))
      return invalid("input", `No tool call found for call_id ${String(call)}.`)
    if (sealed === undefined && type !== "reasoning") continue
    const isOwn =
      typeof id === "string" ? sealed === sealedReasoning(id) : String(sealed).startsWith(sealedReasoning("rs_"))
    if (!isOwn) return invalid("input", `Item with id '${String(id)}' not found: nothing is stored.`)
  }
  return typeof body["previous_response_id"] === "string"
    ? invalid("previous_response_id", "Previous response not found: nothing is stored.")
    : undefined
}

const itemOf = (item: Fields, { finish }: Place): Fields =>
  item["type"] === "message" && finish?.reason === "length" ? { ...item, status: "incomplete" } : item

const responseOf = (response: Fields, place: Place): Fields => ({
  background: false,
  max_output_tokens: null,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  service_tier: "default",
  text: { format: { type: "text" } },
  truncation: "disabled",
  user: null,
  ...response,
  completed_at: response["status"] === "completed" ? created : null,
  temperature: 1,
  top_p: 1,
  ...settingsOf(place.generation.body),
  store: false,
  output: listOf(response["output"]).map((item) => itemOf(item, place)),
  usage: place.generation.hidesUsage ? null : response["usage"]
})

const dialect: Dialect = {
  codec: codecs.responses,
  operation: operation.id,
  failure: (sequence_number) => ({
    event: "error",
    data: JSON.stringify({
      type: "error",
      code: "server_error",
      message: "The server had an error while processing your request.",
      param: null,
      sequence_number
    }),
    tokens: 0
  }),
  ids: ["resp_", "call_"],
  refuse: (_, body) => brokenReference(body),
  thinking: (conversation) => thinkingTokens(conversation, effort.medium),
  hasEmptyThought: true,
  seal: ({ body: { include }, id }) =>
    Array.isArray(include) && include.includes("reasoning.encrypted_content")
      ? { by: "openai", data: sealedReasoning(`rs_resp_${id}_0`) }
      : undefined,
  whole: responseOf,
  event: (event, place) => {
    if ("response" in event) return { ...event, response: responseOf(fieldsOf(event["response"]), place) }
    return "item" in event && event["type"] === "response.output_item.done"
      ? { ...event, item: itemOf(fieldsOf(event["item"]), place) }
      : event
  }
}

export const responses = answerer(dialect)

/** Counts what `responses` would report as input. Free. */
export const countInput = counter(dialect, counted.id, (input_tokens) => ({
  object: "response.input_tokens",
  input_tokens
}))
