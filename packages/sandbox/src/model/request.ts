import { type Codec, type Conversation, Malformed } from "@tollgate/protocols"
import type { AnswerPart, TextPart, Tool, UserPart } from "@tollgate/protocols/Conversation"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { InvalidInput } from "../BilledAnswer.ts"
import type { ModelRequest } from "../text/reply.ts"
import { count, countAll, effort, perMedia, perMessage } from "../text/tokens.ts"
import { isChatModel, unknownModel } from "../wire/body.ts"

export type Fields = Readonly<Record<string, unknown>>

export const wrong = (param: string, message: string) => new InvalidInput({ param, message: `${param}: ${message}` })

export const fieldsOf = (value: unknown): Fields => (Predicate.isObject(value) ? value : {})

export const listOf = (value: unknown): ReadonlyArray<Fields> => itemsOf(value).map(fieldsOf)

const itemsOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** What one protocol alone has, and the sandbox takes. */
const ownTypes =
  /^(?:custom|web_search|web_fetch|file_search|code_(?:interpreter|execution)|mcp|compaction|image|document|search_result|input_audio|refusal)/

const isTaken = (value: Fields = {}): boolean => ownTypes.test(String(value["type"]))

const formats = new Set(["tool_choice", "response_format", "text.format", "output_config.format"])

/** The first field that is read and has another value than its protocol allows. */
const wrongField = ({ settings }: Codec, body: Fields, { own }: Conversation): string | undefined => {
  const { stream } = body
  if (stream !== undefined && stream !== null && typeof stream !== "boolean") return "stream"
  for (const field of ["messages", "input"])
    for (const [i, { content }] of listOf(body[field]).entries())
      for (const { text, type } of listOf(content)) {
        if (typeof type === "string" && type.endsWith("text") && typeof text !== "string")
          return `${field}[${i}].content`
      }
  return own.find((path) => {
    const [, field = "", index] = /^(\w+)\[(\d+)\]$/.exec(path) ?? []
    if (index !== undefined) return !isTaken(listOf(body[field])[Number(index)])
    return formats.has(path) || [settings.limit].flat().includes(path)
  })
}

/** What every model refuses. */
const refusal = ({ shape }: Codec, conversation: Conversation): InvalidInput | undefined => {
  const { limit, messages, reasoning, stop = [], system, toolChoice, tools = [] } = conversation
  // OpenAI's instructions are messages.
  const first = shape === "chat" || shape === "responses" ? [...system, ...messages] : messages
  if (first.length === 0) return wrong("messages", "is required")
  for (const { parts, role } of messages) {
    if (role !== "assistant" && parts.length === 0) return wrong("content", "is required")
    for (const part of parts) {
      if (part.type === "own" && role !== "assistant" && !isTaken(part.value)) return wrong("content", "unknown part")
      if ((part.type === "result" && part.id === "") || (part.type === "call" && part.name === ""))
        return wrong("content", "a call or a result has no name or id")
    }
  }
  if (limit !== undefined && !(Number.isInteger(limit) && limit > 0))
    return wrong("max_tokens", "must be a whole number")
  if (stop.length > 16 || stop.includes("")) return wrong("stop", "at most 16 texts that are not empty")
  if (reasoning?.effort !== undefined && !Object.hasOwn(effort, reasoning.effort)) return wrong("effort", "unknown")
  if (tools.some(({ name }) => name === "")) return wrong("tools", "a tool has no name")
  if (typeof toolChoice === "object" && !tools.some(({ name }) => name === toolChoice.name))
    return wrong("tool_choice", "no tool has this name")
  return undefined
}

/** Reads a request as its protocol says, and refuses what no model takes. */
export const read = (codec: Codec, value: unknown): Effect.Effect<Conversation, InvalidInput> =>
  Effect.suspend(() => {
    const body = fieldsOf(value)
    const { model } = body
    if (typeof model !== "string") return wrong("model", "is required")
    try {
      const conversation = codec.readRequest(body)
      const field = wrongField(codec, body, conversation)
      const refused =
        field === undefined ? refusal(codec, conversation) : wrong(field, "Input is not valid for this field")
      return refused ?? (isChatModel(model) ? Effect.succeed(conversation) : unknownModel(model))
    } catch (error) {
      if (error instanceof Malformed) return new InvalidInput({ param: error.at, message: error.message })
      throw error
    }
  })

type Part = UserPart | AnswerPart

const tokensOf = (part: Part): number => {
  switch (part.type) {
    case "text":
    case "refusal":
      return count(part.text)
    case "call":
      return count(part.name) + count(part.arguments)
    case "result":
      return sum(part.parts)
    case "reasoning":
      return 0
    default:
      return perMedia
  }
}

const sum = (parts: ReadonlyArray<Part>): number => parts.reduce((total, part) => total + tokensOf(part), 0)

const toolTokens = (tools: ReadonlyArray<Tool> = []): number =>
  tools.reduce(
    (total, { description, name, parameters }) => total + count(name) + count(description ?? "") + countAll(parameters),
    0
  )

const isMarked = (part: Part | Tool): boolean => "cache" in part && part.cache !== undefined

/** The tokens of the prompt, and those in parts that are marked to be cached. */
export const promptTokens = ({ messages, system, tools }: Conversation) => {
  const all: ReadonlyArray<Part> = [...system, ...messages.flatMap(({ parts }): ReadonlyArray<Part> => parts)]
  return {
    prompt: sum(all) + perMessage * messages.length + toolTokens(tools),
    marked: sum(all.filter(isMarked)) + toolTokens(tools?.filter(isMarked))
  }
}

const textOf = (parts: ReadonlyArray<Part> = []): string =>
  parts
    .filter((part): part is TextPart => part.type === "text")
    .map(({ text }) => text)
    .join("\n")

const chosenTool = ({ toolChoice, tools = [] }: Conversation): ModelRequest["tool"] => {
  if (toolChoice === "none") return undefined
  const tool = tools.find(({ name }) => typeof toolChoice !== "object" || name === toolChoice.name)
  return tool && { name: tool.name, schema: tool.parameters }
}

/** The tokens that the model thinks. `unsaid`: of a caller who wants to see them and does not say how many. */
export const thinkingTokens = ({ reasoning }: Conversation, unsaid: number): number => {
  if (reasoning === undefined || reasoning.isOff === true) return 0
  const words: Readonly<Record<string, number>> = effort
  const tokens = words[reasoning.effort ?? ""]
  const { budget, isAdaptive } = reasoning
  if (budget === undefined && isAdaptive !== true) return tokens ?? unsaid
  return Math.min(budget ?? Infinity, tokens ?? effort.high)
}

export const modelRequest = (conversation: Conversation): ModelRequest => {
  const { format, limit, messages, stop = [] } = conversation
  const last = messages.at(-1)
  const results = last?.role === "user" ? last.parts.filter((part) => part.type === "result") : []
  const user = messages.findLast(({ parts, role }) => role === "user" && textOf(parts) !== "")
  return {
    message: textOf(user?.parts),
    result: results.length === 0 ? undefined : results.map(({ parts }) => textOf(parts)).join("; "),
    tool: last?.role === "user" && results.length === 0 ? chosenTool(conversation) : undefined,
    json: format && (format.type === "schema" ? { schema: format.schema } : {}),
    limit,
    stop
  }
}
