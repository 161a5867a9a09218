import { InvalidInput } from "../BilledAnswer.ts"
import { effort } from "../text/effort.ts"
import { perMedia, perMessage } from "../text/prompt.ts"
import type { ModelRequest } from "../text/reply.ts"
import { count, countAll } from "../text/tokens.ts"
import type { Content, Item, ResponsesBody } from "./body.ts"

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
