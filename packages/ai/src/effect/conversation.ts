import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import type { AnswerPart, FilePart, Message, ResultPart, TextPart } from "@tollgate/protocols/Conversation"
import type { Json } from "@tollgate/protocols/json"
import { base64Of, fullMediaType, reasoningPart, textPart, Unsupported } from "../conversation/parts.ts"
import { type Asked, formatOf, type ModelSettings } from "../conversation/write.ts"

const address = /^https?:\/\//i

const fileOf = ({ data, fileName: name, mediaType }: Prompt.FilePart): FilePart => {
  const url = data instanceof URL ? data.href : typeof data === "string" && address.test(data) ? data : undefined
  if (url !== undefined) return { type: "file", mediaType: fullMediaType(mediaType), name, source: { url } }
  const base64 = base64Of(data as string | Uint8Array)
  return { type: "file", mediaType: fullMediaType(mediaType, base64), name, source: { base64 } }
}

const contentPart = (part: Prompt.TextPart | Prompt.FilePart): TextPart | FilePart =>
  part.type === "text" ? textPart(part.text) : fileOf(part)

const answerPart = (part: Prompt.AssistantMessagePart): ReadonlyArray<AnswerPart> => {
  switch (part.type) {
    case "text":
      return [textPart(part.text)]
    case "reasoning":
      return [reasoningPart(part.text, part.options)]
    case "tool-call":
      return [{ type: "call", id: part.id, name: part.name, arguments: JSON.stringify(part.params) ?? "{}" }]
    case "tool-approval-request":
      return []
    default:
      throw new Unsupported(`a ${part.type} in an answer`)
  }
}

const resultOf = ({ id, isFailure, modelOutput, result }: Prompt.ToolResultPart): ResultPart => ({
  type: "result",
  id,
  isError: isFailure,
  parts: modelOutput?.map(contentPart) ?? [
    textPart(typeof result === "string" ? result : (JSON.stringify(result) ?? ""))
  ]
})

const messageOf = (message: Prompt.Message): Message => {
  switch (message.role) {
    case "system":
      return { role: "system", parts: [textPart(message.content)] }
    case "user":
      return { role: "user", parts: message.content.map(contentPart) }
    case "assistant":
      return { role: "assistant", parts: message.content.flatMap(answerPart) }
    case "tool":
      return {
        role: "user",
        parts: message.content.flatMap((part) => (part.type === "tool-result" ? [resultOf(part)] : []))
      }
  }
}

const choiceOf = (choice: LanguageModel.ProviderOptions["toolChoice"]): Asked["toolChoice"] => {
  if (typeof choice === "string") return choice
  return "tool" in choice ? { name: choice.tool } : (choice.mode ?? "auto")
}

/** The call of Effect's `LanguageModel`, independent of the protocol. Throws `Unsupported` for what no protocol has. */
export const askedOf = (
  model: string,
  settings: ModelSettings,
  transformer: LanguageModel.CodecTransformer,
  { prompt, responseFormat, toolChoice, tools }: LanguageModel.ProviderOptions
): Asked => ({
  ...settings,
  model,
  messages: prompt.content.map(messageOf),
  tools: tools.map((tool) => {
    if (Tool.isProviderDefined(tool)) throw new Unsupported(`the tool ${tool.name}, which runs at its provider`)
    return {
      name: tool.name,
      description: Tool.getDescription(tool),
      parameters: Tool.getJsonSchema(tool) as Json,
      strict: Tool.getStrictMode(tool)
    }
  }),
  toolChoice: choiceOf(toolChoice),
  format:
    responseFormat.type === "json"
      ? formatOf({
          name: responseFormat.objectName,
          schema: Tool.getJsonSchemaFromSchema(responseFormat.schema, { transformer })
        })
      : undefined
})
