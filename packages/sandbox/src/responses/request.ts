import { Maybe } from "@tollgate/contract/Open"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { InvalidInput } from "../BilledAnswer.ts"
import type { ModelRequest } from "../text/reply.ts"
import { count, countAll, effort, perMedia, perMessage } from "../text/tokens.ts"
import { Count } from "../wire/body.ts"

const Part = Schema.Union([
  Schema.Struct({ type: Schema.Literals(["input_text", "output_text"]), text: Schema.String }),
  Schema.Struct({ type: Schema.Literals(["input_image", "input_file", "input_audio", "refusal"]) })
])

const Content = Schema.Union([Schema.String, Schema.Array(Part)])
type Content = typeof Content.Type

const Message = Schema.Struct({
  type: Maybe(Schema.Literal("message")),
  role: Schema.Literals(["system", "developer", "user", "assistant"]),
  content: Content
})

const Item = Schema.Union([
  Message,
  Schema.Struct({ type: Schema.Literal("function_call_output"), call_id: Schema.String, output: Content }),
  Schema.Struct({
    type: Schema.Literal("function_call"),
    call_id: Schema.String,
    name: Schema.String,
    arguments: Schema.String
  }),
  Schema.Struct({
    type: Schema.Literal("reasoning"),
    id: Maybe(Schema.String),
    encrypted_content: Maybe(Schema.String)
  }),
  Schema.Struct({ type: Schema.Literals(["custom_tool_call", "custom_tool_call_output", "compaction"]) })
])
type Item = typeof Item.Type

const Tool = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("function"),
    name: Schema.NonEmptyString,
    description: Maybe(Schema.String),
    parameters: Maybe(Schema.Unknown)
  }),
  Schema.Struct({ type: Schema.Literals(["custom", "web_search", "file_search", "code_interpreter", "mcp"]) })
])

/** The fields of a body in the format of OpenAI's Responses that the sandbox reads. */
export const ResponsesBody = Schema.Struct({
  model: Schema.String,
  input: Schema.Union([Schema.String, Schema.Array(Item).check(Schema.isMinLength(1))]),
  instructions: Maybe(Schema.String),
  max_output_tokens: Maybe(Count),
  stream: Maybe(Schema.Boolean),
  tools: Maybe(Schema.Array(Tool)),
  tool_choice: Maybe(
    Schema.Union([
      Schema.Literals(["none", "auto", "required"]),
      Schema.Struct({ type: Schema.Literal("function"), name: Schema.String })
    ])
  ),
  text: Maybe(
    Schema.Struct({
      format: Maybe(
        Schema.Struct({
          type: Schema.Literals(["text", "json_object", "json_schema"]),
          schema: Maybe(Schema.Unknown)
        })
      )
    })
  ),
  reasoning: Maybe(Schema.Struct({ effort: Maybe(Schema.String), summary: Maybe(Schema.String) })),
  include: Maybe(Schema.Array(Schema.String)),
  previous_response_id: Maybe(Schema.String)
})
export type ResponsesBody = typeof ResponsesBody.Type

const textOf = (content: Content): string =>
  typeof content === "string" ? content : content.flatMap((part) => ("text" in part ? [part.text] : [])).join("\n")

const mediaOf = (content: Content): number =>
  typeof content === "string" ? 0 : content.filter((part) => !("text" in part)).length

const itemsOf = ({ input }: ResponsesBody): ReadonlyArray<Item> =>
  typeof input === "string" ? [{ role: "user", content: input }] : input

const tokensOf = (item: Item): number => {
  if ("role" in item) return perMessage + count(textOf(item.content)) + perMedia * mediaOf(item.content)
  switch (item.type) {
    case "function_call":
      return count(item.name) + count(item.arguments)
    case "function_call_output":
      return perMessage + count(textOf(item.output)) + perMedia * mediaOf(item.output)
    default:
      return 0
  }
}

export const promptTokens = (body: ResponsesBody): number =>
  itemsOf(body).reduce((sum, item) => sum + tokensOf(item), count(body.instructions ?? "") + countAll(body.tools))

const tokensByEffort: Readonly<Record<string, number>> = effort

/** The tokens of the reasoning, at most all that the answer may have. */
export const reasoningOf = ({ max_output_tokens, reasoning }: ResponsesBody): number => {
  const asked = reasoning?.effort ?? (reasoning?.summary === undefined ? "none" : "medium")
  return Math.min(tokensByEffort[asked] ?? effort.max, max_output_tokens ?? Infinity)
}

/** The reasoning of an answer, as callers who ask for it get it. */
export const sealedReasoning = (id: string): string => `sandbox-${id}`

/** Like an upstream that is told to keep nothing, it takes no reference, and reasoning only as it sent it. */
const brokenReference = (body: ResponsesBody): InvalidInput | undefined => {
  const calls = new Set(itemsOf(body).map((item) => ("arguments" in item ? item.call_id : undefined)))
  for (const item of itemsOf(body)) {
    if ("output" in item && !calls.has(item.call_id)) {
      return new InvalidInput({ param: "input", message: `No tool call found for call_id ${item.call_id}.` })
    }
    if (!("encrypted_content" in item || item.type === "reasoning")) continue
    const { encrypted_content: sealed, id } = item
    if (Predicate.isString(id) ? sealed !== sealedReasoning(id.slice(3)) : sealed?.startsWith("sandbox-") !== true) {
      return new InvalidInput({ param: "input", message: `Item with id '${id}' not found: nothing is stored.` })
    }
  }
  return Predicate.isString(body.previous_response_id)
    ? new InvalidInput({ param: "previous_response_id", message: "Previous response not found: nothing is stored." })
    : undefined
}

const chosenTool = ({ tool_choice, tools }: ResponsesBody): ModelRequest["tool"] | InvalidInput => {
  if (tool_choice === "none") return undefined
  const named = typeof tool_choice === "object" ? tool_choice?.name : undefined
  for (const tool of tools ?? []) {
    if (tool.type === "function" && (named === undefined || tool.name === named)) {
      return { name: tool.name, schema: tool.parameters }
    }
  }
  if (named === undefined) return undefined
  return new InvalidInput({ param: "tool_choice", message: "tool_choice: no tool has this name" })
}

export const modelRequest = (body: ResponsesBody): ModelRequest | InvalidInput => {
  const reference = brokenReference(body)
  if (reference !== undefined) return reference
  const tool = chosenTool(body)
  if (tool instanceof InvalidInput) return tool
  const items = itemsOf(body)
  const last = items.at(-1)
  const user = items.findLast((item) => "role" in item && item.role === "user")
  const format = body.text?.format
  const limit = body.max_output_tokens ?? undefined
  return {
    message: user !== undefined && "role" in user ? textOf(user.content) : "",
    result: last !== undefined && "output" in last ? textOf(last.output) : undefined,
    tool: last !== undefined && "role" in last && last.role === "user" ? tool : undefined,
    json:
      format?.type === "json_schema"
        ? { schema: format.schema ?? undefined }
        : format?.type === "json_object"
          ? {}
          : undefined,
    limit: limit === undefined ? undefined : limit - reasoningOf(body),
    stop: []
  }
}
