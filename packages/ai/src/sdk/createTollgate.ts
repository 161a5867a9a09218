import {
  type EmbeddingModelV4,
  type LanguageModelV4,
  NoSuchModelError,
  type ProviderV4,
  type RerankingModelV4,
  type RerankingModelV4CallOptions,
  type SharedV4Warning
} from "@ai-sdk/provider"
import { createClient, type PromiseClient } from "@tollgate/client"
import { type Api, chatApi, messagesApi } from "./apis.ts"
import { checkOptions, type TollgateCallOptions, settle } from "./CallOptions.ts"
import { languageModel } from "./languageModel.ts"
import { vectorsOf } from "../conversation/parts.ts"
import { errorOf, metadataOf, quoted } from "./errors.ts"

/** The operations rank texts, so that an object is sent as JSON. */
const textsOf = ({ type, values }: RerankingModelV4CallOptions["documents"]): ReadonlyArray<string> =>
  type === "text" ? values : values.map((value) => JSON.stringify(value))

const asJson: SharedV4Warning = { type: "compatibility", feature: "object documents", details: "They are sent as JSON" }

/** The ranking of `rerank`. */
const rerankingModel = (client: PromiseClient, modelId: string, defaults: TollgateCallOptions): RerankingModelV4 => ({
  specificationVersion: "v4",
  provider: "tollgate.rerank",
  modelId,
  doRerank: async ({ documents, query, topN, ...passed }) => {
    const settled = settle(defaults, passed)
    const input = {
      model: modelId,
      query,
      documents: textsOf(documents),
      ...(topN === undefined ? {} : { top_n: topN })
    }
    try {
      const quote = await quoted(settled, (more) => client.quote.rerank(input, more))
      const { value, ...response } = await client.rerank(input, settled.options).withResponse()
      return {
        ranking: value.results.map(({ index, relevance_score }) => ({ index, relevanceScore: relevance_score })),
        providerMetadata: metadataOf(settled, response, quote),
        response: { modelId, headers: { ...response.headers }, body: value },
        warnings: documents.type === "text" ? [] : [asJson]
      }
    } catch (error) {
      throw errorOf(error, "/v1/rerank", modelId, settled.key)
    }
  }
})

/** The vectors of `embeddings`. All values are one call, so that an idempotency key is that of all. */
const embeddingModel = (client: PromiseClient, modelId: string, defaults: TollgateCallOptions): EmbeddingModelV4 => ({
  specificationVersion: "v4",
  provider: "tollgate.embeddings",
  modelId,
  maxEmbeddingsPerCall: Infinity,
  supportsParallelCalls: true,
  doEmbed: async ({ dimensions, values, ...passed }) => {
    const settled = settle(defaults, passed)
    const input = { model: modelId, input: values, ...(dimensions === undefined ? {} : { dimensions }) }
    try {
      const quote = await quoted(settled, (more) => client.quote.embeddings(input, more))
      const { value, ...response } = await client.embeddings(input, settled.options).withResponse()
      const { tokens, vectors } = vectorsOf(value)
      return {
        embeddings: vectors,
        ...(tokens === undefined ? {} : { usage: { tokens } }),
        providerMetadata: metadataOf(settled, response, quote),
        response: { headers: { ...response.headers }, body: value },
        warnings: []
      }
    } catch (error) {
      throw errorOf(error, "/v1/embeddings", modelId, settled.key)
    }
  }
})

/** The models of a gateway, for `ai`. Options of a model are the defaults of its calls. */
export interface TollgateProvider extends ProviderV4 {
  /** A model in the format of OpenAI, as `chat`. */
  (modelId: string, options?: TollgateCallOptions): LanguageModelV4
  /** A model over `POST /v1/chat/completions`, in the format of OpenAI. */
  readonly chat: (modelId: string, options?: TollgateCallOptions) => LanguageModelV4
  /** A model over `POST /v1/messages`, in the format of Anthropic. */
  readonly messages: (modelId: string, options?: TollgateCallOptions) => LanguageModelV4
  readonly languageModel: (modelId: string, options?: TollgateCallOptions) => LanguageModelV4
  readonly embeddingModel: (modelId: string, options?: TollgateCallOptions) => EmbeddingModelV4
  readonly rerankingModel: (modelId: string, options?: TollgateCallOptions) => RerankingModelV4
  /** For all that `ai` does not have, such as `resume` and `withBudget`. */
  readonly client: PromiseClient
}

/** A client, or what `createClient` makes one of. */
export type TollgateProviderSettings =
  | { readonly client: PromiseClient }
  | (NonNullable<Parameters<typeof createClient>[0]> & { readonly client?: never })

/**
 * Makes a provider for Vercel's `ai`. Without a client it makes one over `fetch`, with the options of `createClient` or, for
 * what they leave out, the environment.
 *
 * @example
 * const tollgate = createTollgate()
 * const { text } = await generateText({ model: tollgate("sandbox"), prompt: "Why do rivers bend?" })
 */
export const createTollgate = (settings: TollgateProviderSettings = {}): TollgateProvider => {
  const { client: given, ...options } = settings
  const client = given ?? createClient(options)
  const over =
    (api: Api) =>
    (modelId: string, options: TollgateCallOptions = {}): LanguageModelV4 =>
      languageModel(client, api, modelId, checkOptions(options, "options"))
  const chat = over(chatApi)
  return Object.assign((modelId: string, options?: TollgateCallOptions) => chat(modelId, options), {
    specificationVersion: "v4" as const,
    client,
    chat,
    messages: over(messagesApi),
    languageModel: chat,
    embeddingModel: (modelId: string, options: TollgateCallOptions = {}) =>
      embeddingModel(client, modelId, checkOptions(options, "options")),
    rerankingModel: (modelId: string, options: TollgateCallOptions = {}) =>
      rerankingModel(client, modelId, checkOptions(options, "options")),
    imageModel: (modelId: string): never => {
      throw new NoSuchModelError({ modelId, modelType: "imageModel" })
    }
  })
}
