import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4Warning
} from "@ai-sdk/provider"
import type { PromiseClient } from "@tollgate/client"
import type { AnswerPart, Delta, Ending, Ignored, Proof, Tokens } from "../conversation/Conversation.ts"
import { object } from "../conversation/parts.ts"
import { readWhole } from "../conversation/whole.ts"
import type { Api } from "./apis.ts"
import { settle, type TollgateCallOptions } from "./CallOptions.ts"
import { conversationOf } from "./conversation.ts"
import { errorOf, metadataOf, quoted } from "./errors.ts"

const settings: Partial<Record<Ignored["setting"], string>> = { format: "responseFormat" }

const warningOf = ({ setting, why }: Ignored): SharedV4Warning => ({
  type: "unsupported",
  feature: settings[setting] ?? setting,
  ...(why === undefined ? {} : { details: why })
})

const sum = (...counts: ReadonlyArray<number | undefined>): number =>
  counts.reduce<number>((all, n) => all + (n ?? 0), 0)

const usageOf = ({ cacheRead, cacheWrite, input, output, raw, reasoning }: Tokens): LanguageModelV4Usage => ({
  inputTokens: {
    total: input === undefined ? undefined : sum(input, cacheRead, cacheWrite),
    noCache: input,
    cacheRead,
    cacheWrite
  },
  outputTokens: {
    total: output,
    text: output === undefined || reasoning === undefined ? undefined : output - reasoning,
    reasoning
  },
  ...(raw === undefined ? {} : { raw: raw as NonNullable<LanguageModelV4Usage["raw"]> })
})

const finishOf = ({ finish, reason }: Ending): LanguageModelV4FinishReason => ({
  unified: finish === "pause" ? "other" : finish,
  raw: reason
})

const proven = (proof: Proof | undefined) =>
  proof === undefined ? {} : { providerMetadata: { tollgate: { ...proof } } }

const callOf = (part: { readonly id: string; readonly name: string; readonly arguments: string }) =>
  ({ type: "tool-call", toolCallId: part.id, toolName: part.name, input: part.arguments }) as const

const contentOf = (part: AnswerPart): ReadonlyArray<LanguageModelV4Content> => {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [{ type: "text", text: part.text }]
    case "reasoning":
      return [{ type: "reasoning", text: part.text, ...proven(part.proof) }]
    case "call":
      return [callOf(part)]
  }
}

const headOf = ({
  id,
  model,
  seconds
}: { readonly [K in "id" | "model"]?: string | undefined } & { readonly seconds?: number | undefined }) => ({
  ...(id === undefined ? {} : { id }),
  ...(model === undefined ? {} : { modelId: model }),
  ...(seconds === undefined ? {} : { timestamp: new Date(seconds * 1000) })
})

const partOf = (delta: Delta): LanguageModelV4StreamPart => {
  switch (delta.type) {
    case "response":
      return { type: "response-metadata", ...headOf(delta) }
    case "tool-start":
      return { type: "tool-input-start", id: delta.id, toolName: delta.name }
    case "tool-delta":
      return { type: "tool-input-delta", id: delta.id, delta: delta.delta }
    case "tool-end":
      return { type: "tool-input-end", id: delta.id }
    case "reasoning-end":
      return { type: "reasoning-end", id: delta.id, ...proven(delta.proof) }
    case "call":
      return callOf(delta)
    default:
      return delta
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
  const { protocol } = api

  /** All that may fail before something is sent. */
  const prepare = (options: LanguageModelV4CallOptions) => {
    const settled = settle(defaults, options, suffixOf(options))
    const { ignored, input } = protocol.write(conversationOf(modelId, options))
    return { settled, input, warnings: ignored.map(warningOf) }
  }

  const failing = async <A>(key: string | undefined, run: () => Promise<A>): Promise<A> => {
    try {
      return await run()
    } catch (error) {
      throw errorOf(error, api.path, modelId, key)
    }
  }

  return {
    specificationVersion: "v4",
    provider: `tollgate.${api.name}`,
    modelId,
    supportedUrls: api.supportedUrls,

    doGenerate: async (options) => {
      const { input, settled, warnings } = await failing(undefined, async () => prepare(options))
      return failing(settled.key, async () => {
        const quote = await quoted(settled, (more) => api.quote(client, input, more))
        const { value, ...response } = await api.call(client, input, settled.options).withResponse()
        const answer = readWhole(protocol, object(value))
        return {
          content: answer.parts.flatMap(contentOf),
          finishReason: finishOf(answer),
          usage: usageOf(answer.tokens),
          providerMetadata: metadataOf(settled, response, quote),
          request: { body: input },
          response: { ...headOf(answer), headers: { ...response.headers }, body: value },
          warnings
        }
      })
    },

    doStream: async (options) => {
      const { input, settled, warnings } = await failing(undefined, async () => prepare(options))
      const { key } = settled
      const quote = await failing(key, () => quoted(settled, (more) => api.quote(client, input, more)))
      const events = api.stream(client, input, settled.options)
      // Only a failure before the first event rejects, so that `ai` may repeat what has not run.
      const { headers } = await failing(key, () => events.response())
      const reading = events[Symbol.asyncIterator]()
      let next = await failing(key, () => reading.next())
      const reader = protocol.reader()

      const ended = async (finishReason: LanguageModelV4FinishReason): Promise<LanguageModelV4StreamPart> => {
        const response = await events.response().catch(() => undefined)
        return {
          type: "finish",
          finishReason,
          usage: usageOf(reader.ending().tokens),
          ...(response === undefined ? {} : { providerMetadata: metadataOf(settled, response, quote) })
        }
      }
      const parts = async function* (): AsyncGenerator<LanguageModelV4StreamPart, void> {
        yield { type: "stream-start", warnings }
        while (next.done !== true) {
          if (options.includeRawChunks === true) yield { type: "raw", rawValue: next.value }
          for (const delta of reader.next(object(next.value))) yield partOf(delta)
          try {
            next = await reading.next()
          } catch (failure) {
            const error = errorOf(failure, api.path, modelId, key)
            if (error === failure) throw error
            yield { type: "error", error }
            // A tool whose arguments are not whole must not run, so nothing is closed.
            yield await ended({ unified: "error", raw: undefined })
            return
          }
        }
        for (const delta of reader.close()) yield partOf(delta)
        yield await ended(finishOf(reader.ending()))
      }
      const stream = readable(parts(), () => reading.return?.())
      return { stream, request: { body: input }, response: { headers: { ...headers } } }
    }
  }
}
