import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import {
  type AnswerPart,
  type Conversation,
  type FilePart,
  type Json,
  type Message,
  type TextPart,
  type ToolResult,
  Unsupported
} from "../conversation/Conversation.ts"
import { base64Of, fullMediaType, proofOf, textPart } from "../conversation/parts.ts"

const address = /^https?:\/\//i

const fileOf = ({ data, fileName: name, mediaType }: Prompt.FilePart): FilePart => {
  const url = data instanceof URL ? data.href : typeof data === "string" && address.test(data) ? data : undefined
  if (url !== undefined) return { type: "file", mediaType: fullMediaType(mediaType), name, data: { url } }
  const base64 = base64Of(data as string | Uint8Array)
  return { type: "file", mediaType: fullMediaType(mediaType, base64), name, data: { base64 } }
}

const contentPart = (part: Prompt.TextPart | Prompt.FilePart): TextPart | FilePart =>
  part.type === "text" ? textPart(part.text) : fileOf(part)

const answerPart = (part: Prompt.AssistantMessagePart): ReadonlyArray<AnswerPart> => {
  switch (part.type) {
    case "text":
      return [textPart(part.text)]
    case "reasoning":
      return [{ type: "reasoning", text: part.text, proof: proofOf(part.options) }]
    case "tool-call":
      return [{ type: "call", id: part.id, name: part.name, arguments: JSON.stringify(part.params) ?? "{}" }]
    case "tool-approval-request":
      return []
    default:
      throw new Unsupported(`a ${part.type} in an answer`)
  }
}

const resultOf = ({ id, isFailure, modelOutput, result }: Prompt.ToolResultPart): ToolResult => ({
  id,
  isError: isFailure,
  content: modelOutput?.map(contentPart) ?? [
    textPart(typeof result === "string" ? result : (JSON.stringify(result) ?? ""))
  ]
})

const messageOf = (message: Prompt.Message): Message => {
  switch (message.role) {
    case "system":
      return { role: "system", text: message.content }
    case "user":
      return { role: "user", parts: message.content.map(contentPart) }
    case "assistant":
      return { role: "assistant", parts: message.content.flatMap(answerPart) }
    case "tool":
      return {
        role: "tool",
        results: message.content.flatMap((part) => (part.type === "tool-result" ? [resultOf(part)] : []))
      }
  }
}

const choiceOf = (choice: LanguageModel.ProviderOptions["toolChoice"]): Conversation["toolChoice"] => {
  if (typeof choice === "string") return choice
  return "tool" in choice ? { name: choice.tool } : (choice.mode ?? "auto")
}

/** Settings of a model, for all of its calls. */
export type ModelSettings = Pick<
  Conversation,
  | "effort"
  | "maxOutputTokens"
  | "temperature"
  | "topP"
  | "topK"
  | "presencePenalty"
  | "frequencyPenalty"
  | "seed"
  | "stop"
>

/** The call of Effect's `LanguageModel`, independent of the protocol. Throws `Unsupported` for what no protocol has. */
export const conversationOf = (
  model: string,
  settings: ModelSettings,
  transformer: LanguageModel.CodecTransformer,
  { prompt, responseFormat, toolChoice, tools }: LanguageModel.ProviderOptions
): Conversation => ({
  ...settings,
  model,
  messages: prompt.content.map(messageOf),
  tools: tools.map((tool) => {
    if (Tool.isProviderDefined(tool)) throw new Unsupported(`the tool ${tool.name}, which runs at its provider`)
    return {
      name: tool.name,
      description: Tool.getDescription(tool),
      schema: Tool.getJsonSchema(tool) as Json,
      strict: Tool.getStrictMode(tool)
    }
  }),
  toolChoice: choiceOf(toolChoice),
  format:
    responseFormat.type === "json"
      ? {
          name: responseFormat.objectName,
          schema: Tool.getJsonSchemaFromSchema(responseFormat.schema, { transformer }) as Json
        }
      : undefined
})
