import { Maybe } from "@tollgate/contract/Open"
import * as Schema from "effect/Schema"
import { InvalidInput } from "../BilledAnswer.ts"
import type { ModelRequest } from "../text/reply.ts"
import { count, countAll, effort, perMedia, perMessage } from "../text/tokens.ts"
import { Count, NonEmpty, Sequences, upTo } from "../wire/body.ts"

const Part = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({ type: Schema.Literals(["image_url", "input_audio", "file", "refusal"]) })
])

const Message = Schema.Struct({
  role: Schema.Literals(["system", "developer", "user", "assistant", "tool"]),
  content: Maybe(Schema.Union([Schema.String, Schema.Array(Part)])),
  tool_calls: Maybe(Schema.Array(Schema.Unknown))
})
type Message = typeof Message.Type

const Tool = Schema.Struct({
  type: Schema.Literal("function"),
  function: Schema.Struct({
    name: Schema.NonEmptyString,
    description: Maybe(Schema.String),
    parameters: Maybe(Schema.Unknown)
  })
})

/** The fields of a body in the OpenAI format that the sandbox reads. */
export const ChatBody = Schema.Struct({
  model: Schema.String,
  messages: NonEmpty(Message),
  max_tokens: Maybe(Count),
  max_completion_tokens: Maybe(Count),
  n: Maybe(upTo(8)),
  reasoning_effort: Maybe(Schema.Literals(["none", "minimal", "low", "medium", "high", "xhigh", "max"])),
  logprobs: Maybe(Schema.Boolean),
  top_logprobs: Maybe(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 }))),
  stop: Maybe(Schema.Union([Schema.NonEmptyString, Sequences])),
  stream: Maybe(Schema.Boolean),
  stream_options: Maybe(Schema.Struct({ include_usage: Maybe(Schema.Boolean) })),
  tools: Maybe(Schema.Array(Tool)),
  tool_choice: Maybe(
    Schema.Union([
      Schema.Literals(["none", "auto", "required"]),
      Schema.Struct({ type: Schema.Literal("function"), function: Schema.Struct({ name: Schema.String }) })
    ])
  ),
  response_format: Maybe(
    Schema.Struct({
      type: Schema.Literals(["text", "json_object", "json_schema"]),
      json_schema: Maybe(Schema.Struct({ schema: Maybe(Schema.Unknown) }))
    })
  )
})
export type ChatBody = typeof ChatBody.Type

const textOf = ({ content }: Message): string =>
  typeof content === "string"
    ? content
    : (content ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")

const mediaOf = ({ content }: Message): number =>
  Array.isArray(content) ? content.filter(({ type }) => type !== "text").length : 0

export const promptTokens = ({ messages, tools }: ChatBody): number =>
  messages.reduce(
    (sum, message) =>
      sum + perMessage + count(textOf(message)) + perMedia * mediaOf(message) + countAll(message.tool_calls),
    countAll(tools)
  )

const wrong = (param: string, message: string) => new InvalidInput({ param, message: `${param}: ${message}` })

const chosenTool = ({ tool_choice, tools }: ChatBody): ModelRequest["tool"] | InvalidInput => {
  if (tool_choice === "none") return undefined
  const named = typeof tool_choice === "object" ? tool_choice?.function.name : undefined
  const tool = (tools ?? []).find(({ function: { name } }) => named === undefined || name === named)
  if (tool !== undefined) return { name: tool.function.name, schema: tool.function.parameters }
  return named === undefined ? undefined : wrong("tool_choice", "no tool has this name")
}

export const modelRequest = (body: ChatBody): ModelRequest | InvalidInput => {
  const { messages, response_format, stop } = body
  const empty = messages.findIndex(({ content, role }) => role !== "assistant" && (content ?? undefined) === undefined)
  if (empty >= 0) return wrong(`messages.${empty}.content`, "Field required")
  if ((body.top_logprobs ?? undefined) !== undefined && body.logprobs !== true)
    return wrong("top_logprobs", "logprobs must be true")
  const tool = chosenTool(body)
  if (tool instanceof InvalidInput) return tool
  const last = messages.at(-1)
  const user = messages.findLast(({ role }) => role === "user")
  return {
    message: user === undefined ? "" : textOf(user),
    result: last?.role === "tool" ? textOf(last) : undefined,
    tool: last?.role === "user" ? tool : undefined,
    json:
      response_format?.type === "json_schema"
        ? { schema: response_format.json_schema?.schema ?? undefined }
        : response_format?.type === "json_object"
          ? {}
          : undefined,
    thinking: effort[body.reasoning_effort ?? "none"],
    limit: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    stop: typeof stop === "string" ? [stop] : (stop ?? [])
  }
}
