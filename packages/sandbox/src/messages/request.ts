import { Maybe } from "@tollgate/contract/Open"
import * as Schema from "effect/Schema"
import { InvalidInput } from "../BilledAnswer.ts"
import type { ModelRequest } from "../text/reply.ts"
import { count, countAll, effort, perMedia, perMessage } from "../text/tokens.ts"
import { Count, NonEmpty, Sequences } from "../wire/body.ts"

const marked = { cache_control: Maybe(Schema.Unknown) }

const Text = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String, ...marked })

const Media = Schema.Struct({ type: Schema.Literals(["image", "document", "search_result"]), ...marked })

const Block = Schema.Union([
  Text,
  Media,
  Schema.Struct({ type: Schema.Literal("tool_use"), name: Schema.String, input: Schema.Unknown, ...marked }),
  Schema.Struct({
    type: Schema.Literal("tool_result"),
    tool_use_id: Schema.String,
    content: Maybe(Schema.Union([Schema.String, Schema.Array(Schema.Union([Text, Media]))])),
    ...marked
  }),
  Schema.Struct({ type: Schema.Literals(["thinking", "redacted_thinking"]) })
])
type Block = typeof Block.Type

const Tool = Schema.Struct({
  name: Schema.NonEmptyString,
  description: Maybe(Schema.String),
  input_schema: Maybe(Schema.Unknown),
  ...marked
})
type Tool = typeof Tool.Type

const shown = { display: Maybe(Schema.Literals(["summarized", "omitted"])) }

/** The fields of a body in the Anthropic format that the sandbox reads. */
export const MessagesBody = Schema.Struct({
  model: Schema.String,
  max_tokens: Count,
  messages: NonEmpty(
    Schema.Struct({
      role: Schema.Literals(["user", "assistant"]),
      content: Schema.Union([Schema.String, NonEmpty(Block)])
    })
  ),
  system: Maybe(Schema.Union([Schema.String, Schema.Array(Text)])),
  tools: Maybe(Schema.Array(Tool)),
  tool_choice: Maybe(
    Schema.Union([
      Schema.Struct({ type: Schema.Literals(["auto", "any", "none"]) }),
      Schema.Struct({ type: Schema.Literal("tool"), name: Schema.String })
    ])
  ),
  thinking: Maybe(
    Schema.Union([
      Schema.Struct({
        type: Schema.Literal("enabled"),
        budget_tokens: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1024)),
        ...shown
      }),
      Schema.Struct({ type: Schema.Literal("adaptive"), ...shown }),
      Schema.Struct({ type: Schema.Literals(["disabled", "between_tools"]) })
    ])
  ),
  output_config: Maybe(
    Schema.Struct({
      effort: Maybe(Schema.Literals(["low", "medium", "high", "xhigh", "max"])),
      format: Maybe(Schema.Struct({ type: Schema.Literal("json_schema"), schema: Schema.Unknown }))
    })
  ),
  stop_sequences: Maybe(Sequences),
  stream: Maybe(Schema.Boolean)
})
export type MessagesBody = typeof MessagesBody.Type

type Content = string | ReadonlyArray<Block> | null | undefined

const blocks = (content: Content): ReadonlyArray<Block> =>
  typeof content === "string" ? [{ type: "text", text: content }] : (content ?? [])

const tokensOf = (block: Block): number => {
  switch (block.type) {
    case "text":
      return count(block.text)
    case "tool_use":
      return count(block.name) + countAll(block.input)
    case "tool_result":
      return sum(blocks(block.content))
    case "thinking":
    case "redacted_thinking":
      return 0
    default:
      return perMedia
  }
}

const sum = (all: ReadonlyArray<Block>): number => all.reduce((total, block) => total + tokensOf(block), 0)

const isMarked = (part: Block | Tool): boolean =>
  "cache_control" in part && part.cache_control !== null && part.cache_control !== undefined

const toolTokens = ({ description, input_schema, name }: Tool): number =>
  count(name) + count(description ?? "") + countAll(input_schema)

/** The tokens of the prompt, and those in parts marked with `cache_control`. */
export const promptTokens = ({ messages, system, tools }: Pick<MessagesBody, "messages" | "system" | "tools">) => {
  const all = [...blocks(system), ...messages.flatMap(({ content }) => blocks(content))]
  const tooled = (tools ?? []).reduce((total, tool) => total + toolTokens(tool), 0)
  const markedTools = (tools ?? []).filter(isMarked).reduce((total, tool) => total + toolTokens(tool), 0)
  return { prompt: sum(all) + perMessage * messages.length + tooled, marked: sum(all.filter(isMarked)) + markedTools }
}

const textOf = (content: Content): string =>
  blocks(content)
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n")

const chosenTool = ({ tool_choice, tools }: MessagesBody): ModelRequest["tool"] | InvalidInput => {
  if (tool_choice?.type === "none") return undefined
  const named = tool_choice?.type === "tool" ? tool_choice.name : undefined
  const tool = (tools ?? []).find(({ name }) => named === undefined || name === named)
  if (tool !== undefined) return { name: tool.name, schema: tool.input_schema }
  return named === undefined ? undefined : new InvalidInput({ message: "tool_choice: no tool has this name" })
}

/** `undefined`: the budget leaves no room for the answer. */
const thinkingTokens = ({ max_tokens, output_config, thinking }: MessagesBody): number | undefined => {
  const tokens = effort[output_config?.effort ?? "high"]
  if (thinking?.type === "adaptive") return tokens
  if (thinking?.type !== "enabled") return 0
  return thinking.budget_tokens < max_tokens ? Math.min(thinking.budget_tokens, tokens) : undefined
}

export const modelRequest = (body: MessagesBody): ModelRequest | InvalidInput => {
  const tool = chosenTool(body)
  if (tool instanceof InvalidInput) return tool
  const thinking = thinkingTokens(body)
  if (thinking === undefined)
    return new InvalidInput({ message: "max_tokens must be greater than thinking.budget_tokens", param: "max_tokens" })
  const last = body.messages.at(-1)
  const results = blocks(last?.content).filter((block) => block.type === "tool_result")
  const format = body.output_config?.format ?? undefined
  const user = body.messages.findLast(({ content, role }) => role === "user" && textOf(content) !== "")
  return {
    message: textOf(user?.content),
    result: results.length === 0 ? undefined : results.map(({ content }) => textOf(content)).join("; "),
    tool: last?.role === "user" && results.length === 0 ? tool : undefined,
    json: format === undefined ? undefined : { schema: format.schema },
    thinking,
    limit: body.max_tokens,
    stop: body.stop_sequences ?? []
  }
}
