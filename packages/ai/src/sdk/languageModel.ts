import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4ToolResultPart
} from "@ai-sdk/provider"
import type { PromiseClient } from "@tollgate/client"
import { resumable } from "@tollgate/client/resumable"
import { objectOr, type Json } from "@tollgate/protocols/json"
import { read, readWhole } from "../conversation/read.ts"
import { write, type Asked, formatOf } from "../conversation/write.ts"
import type { Api } from "./apis.ts"
import { settle, type TollgateCallOptions } from "./CallOptions.ts"
import { answered, metadataOf, quoted } from "./answer.ts"
import { errorOf, failing } from "./errors.ts"
import type { AnswerPart, FilePart, Message, ResultPart, TextPart, Tool } from "@tollgate/protocols/Conversation"
import { base64Of, callPart, fullMediaType, reasoningPart, textPart, Unsupported } from "../conversation/parts.ts"

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
      return [callPart(part.toolCallId, part.toolName, argumentsOf(part.input), part.providerOptions)]
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

/** `ai` calls a model once for each step of a loop with the same options. A step goes on from the results of tools. */
const suffixOf = ({ prompt }: LanguageModelV4CallOptions): string =>
  prompt.at(-1)?.role === "tool" ? `.step${prompt.length}` : ""

/** Reads an iterator when the stream is read. `leave` ends the call, also while a read waits. */
const readable = <A>(parts: AsyncIterator<A>, leave: () => unknown): ReadableStream<A> =>
  new ReadableStream<A>({
    pull: async (controller) => {
      const next = await parts.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
    cancel: async () => {
      await leave()
    }
  })

/** A model over one operation of the gateway. */
export const languageModel = (
  client: PromiseClient,
  api: Api,
  modelId: string,
  defaults: TollgateCallOptions
): LanguageModelV4 => {
  const { path, protocol } = api
  const subject = { path, modelId, modelType: "languageModel" } as const

  const prepare = (options: LanguageModelV4CallOptions) =>
    failing(subject)(() => ({
      settled: settle(defaults, options, suffixOf(options)),
      ...write(protocol, askedOf(modelId, options))
    }))

  return {
    specificationVersion: "v4",
    provider: `tollgate.${api.name}`,
    modelId,
    supportedUrls: api.supportedUrls,

    doGenerate: async (options) => {
      const { input, settled, warnings } = await prepare(options)
      const whole = await answered(client, api.call, subject, input, settled, (value) =>
        readWhole(protocol, objectOr(value))
      )
      const { head, response, ...answer } = whole
      return { ...answer, request: { body: input }, response: { ...response, ...head }, warnings }
    },

    doStream: async (options) => {
      const { input, settled, warnings } = await prepare(options)
      const failed = failing(subject, settled.key)
      const quote = await failed(() => quoted(client, api.call, input, settled))
      const { isResumable, options: own } = settled
      const events = client[api.stream](input as never, isResumable ? { ...own, resumable: resumable() } : own)
      // Only a failure before the first event rejects.
      const { headers } = await failed(() => events.response())
      const reading: AsyncIterator<unknown> = events[Symbol.asyncIterator]()
      let next = await failed(() => reading.next())
      const answer = read(protocol)

      const ended = async (finishReason: LanguageModelV4FinishReason): Promise<LanguageModelV4StreamPart> => {
        const response = await events.response().catch(() => undefined)
        return {
          type: "finish",
          finishReason,
          usage: answer.ending().usage,
          ...(response === undefined ? {} : { providerMetadata: metadataOf(settled, response, quote) })
        }
      }
      const parts = async function* (): AsyncGenerator<LanguageModelV4StreamPart, void> {
        yield { type: "stream-start", warnings }
        while (next.done !== true) {
          if (options.includeRawChunks === true) yield { type: "raw", rawValue: next.value }
          try {
            yield* answer.next(objectOr(next.value))
            next = await reading.next()
          } catch (failure) {
            const error = errorOf(failure, subject, settled.key)
            if (error === failure) throw error
            yield { type: "error", error }
            // A tool whose arguments are not whole must not run, so nothing is closed.
            yield await ended({ unified: "error", raw: undefined })
            return
          }
        }
        yield* answer.close()
        yield await ended(answer.ending().finishReason)
      }
      const stream = readable(parts(), () => reading.return?.())
      return { stream, request: { body: input }, response: { headers: { ...headers } } }
    }
  }
}
