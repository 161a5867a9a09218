import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4ToolResultPart
} from "@ai-sdk/provider"
import type { AnswerPart, FilePart, Message, ResultPart, TextPart, Tool } from "@tollgate/protocols/Conversation"
import type { Json } from "@tollgate/protocols/json"
import { base64Of, fullMediaType, reasoningPart, textPart, Unsupported } from "../conversation/parts.ts"
import { type Asked, formatOf } from "../conversation/write.ts"

const fileOf = (part: Pick<LanguageModelV4FilePart, "data" | "mediaType" | "filename">): FilePart => {
  const { data, filename: name, mediaType } = part
  switch (data.type) {
    case "reference":
      throw new Unsupported("a file by the id of another provider")
    case "text":
      return { type: "file", mediaType, name, source: { text: data.text } }
    case "url":
      return { type: "file", mediaType: fullMediaType(mediaType), name, source: { url: data.url.href } }
    case "data": {
      const base64 = base64Of(data.data)
      return { type: "file", mediaType: fullMediaType(mediaType, base64), name, source: { base64 } }
    }
  }
}

const resultOf = ({ output, toolCallId: id }: LanguageModelV4ToolResultPart): ResultPart => {
  const result = (parts: ReadonlyArray<TextPart | FilePart>, isError = false): ResultPart => ({
    type: "result",
    id,
    parts,
    isError
  })
  switch (output.type) {
    case "text":
      return result([textPart(output.value)])
    case "json":
      return result([textPart(JSON.stringify(output.value))])
    case "error-text":
      return result([textPart(output.value)], true)
    case "error-json":
      return result([textPart(JSON.stringify(output.value))], true)
    case "execution-denied":
      return result([textPart(output.reason ?? "The user did not allow this call.")], true)
    case "content":
      return result(
        output.value.map((part) => {
          if (part.type === "text") return textPart(part.text)
          if (part.type === "file") return fileOf(part)
          throw new Unsupported("this part of a tool's result")
        })
      )
  }
}

const argumentsOf = (input: unknown): string => (typeof input === "string" ? input : (JSON.stringify(input) ?? "{}"))

type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number]

const answerPart = (part: AssistantPart): ReadonlyArray<AnswerPart> => {
  switch (part.type) {
    case "text":
      return [textPart(part.text)]
    case "reasoning":
      return [reasoningPart(part.text, part.providerOptions)]
    case "tool-call":
      return [{ type: "call", id: part.toolCallId, name: part.toolName, arguments: argumentsOf(part.input) }]
    case "custom":
      // Notes of another provider, which began the conversation.
      return []
    default:
      throw new Unsupported(`a ${part.type} in an answer`)
  }
}

const messageOf = (message: LanguageModelV4Message): Message => {
  switch (message.role) {
    case "system":
      return { role: "system", parts: [textPart(message.content)] }
    case "user":
      return {
        role: "user",
        parts: message.content.map((part) => (part.type === "text" ? textPart(part.text) : fileOf(part)))
      }
    case "assistant":
      return { role: "assistant", parts: message.content.flatMap(answerPart) }
    case "tool":
      return {
        role: "user",
        // What the user allowed or not is in the results too.
        parts: message.content.flatMap((part) => (part.type === "tool-result" ? [resultOf(part)] : []))
      }
  }
}

const toolsOf = (tools: LanguageModelV4CallOptions["tools"] = []): ReadonlyArray<Tool> =>
  tools.map((tool) => {
    if (tool.type === "provider") throw new Unsupported(`the tool ${tool.id}, which runs at its provider`)
    const { description, inputSchema, name, strict } = tool
    return { name, description, parameters: inputSchema as Json, strict }
  })

/** The call of `ai`, independent of the protocol. Throws `Unsupported` for what no protocol has. */
export const askedOf = (model: string, options: LanguageModelV4CallOptions): Asked => {
  const { prompt, reasoning, responseFormat, toolChoice, tools } = options
  return {
    model,
    messages: prompt.map(messageOf),
    tools: toolsOf(tools),
    toolChoice: toolChoice?.type === "tool" ? { name: toolChoice.toolName } : toolChoice?.type,
    format: responseFormat?.type === "json" ? formatOf(responseFormat) : undefined,
    effort: reasoning === "provider-default" ? undefined : reasoning,
    maxOutputTokens: options.maxOutputTokens,
    temperature: options.temperature,
    topP: options.topP,
    topK: options.topK,
    presencePenalty: options.presencePenalty,
    frequencyPenalty: options.frequencyPenalty,
    seed: options.seed,
    stop: options.stopSequences
  }
}
