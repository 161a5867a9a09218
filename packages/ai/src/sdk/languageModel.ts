import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart
} from "@ai-sdk/provider"
import type { PromiseClient } from "@tollgate/client"
import { objectOr } from "@tollgate/protocols/json"
import { read, readWhole } from "../conversation/read.ts"
import { write } from "../conversation/write.ts"
import type { Api } from "./apis.ts"
import { settle, type TollgateCallOptions } from "./CallOptions.ts"
import { askedOf } from "./conversation.ts"
import { errorOf, metadataOf, quoted } from "./errors.ts"

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
    const { input, warnings } = write(protocol, askedOf(modelId, options))
    return { settled, input, warnings }
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
        const { head, ...answer } = readWhole(protocol, objectOr(value))
        return {
          ...answer,
          providerMetadata: metadataOf(settled, response, quote),
          request: { body: input },
          response: { ...head, headers: { ...response.headers }, body: value },
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
            const error = errorOf(failure, api.path, modelId, key)
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
