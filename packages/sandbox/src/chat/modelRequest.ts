import { effort } from "../text/effort.ts"
import type { ModelRequest } from "../text/reply.ts"
import { perMedia, perMessage } from "../text/prompt.ts"
import { count, countAll } from "../text/tokens.ts"
import { InvalidInput } from "../BilledAnswer.ts"
import type { ChatBody, Message } from "./body.ts"

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
