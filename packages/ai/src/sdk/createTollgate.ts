import {
  type EmbeddingModelV4,
  type ImageModelV4,
  type LanguageModelV4,
  type ProviderV4,
  type RerankingModelV4,
  type RerankingModelV4CallOptions,
  type SharedV4Warning
} from "@ai-sdk/provider"
import { createClient, type PromiseClient } from "@tollgate/client"
import { type Api, chatApi, geminiApi, messagesApi, responsesApi } from "./apis.ts"
import { checkOptions, type TollgateCallOptions, settle } from "./CallOptions.ts"
import { imageModel } from "./imageModel.ts"
import { languageModel } from "./languageModel.ts"
import { vectorsOf } from "../conversation/parts.ts"
import { answered, type Name } from "./answer.ts"
import { defined, listOr, objectOr } from "@tollgate/protocols/json"

/** The operations rank texts, so that an object is sent as JSON. */
const textsOf = ({ type, values }: RerankingModelV4CallOptions["documents"]): ReadonlyArray<string> =>
  type === "text" ? values : values.map((value) => JSON.stringify(value))

const asJson: SharedV4Warning = { type: "compatibility", feature: "object documents", details: "They are sent as JSON" }

const rerankingModel = (client: PromiseClient, modelId: string, defaults: TollgateCallOptions): RerankingModelV4 => ({
  specificationVersion: "v4",
  provider: "tollgate.rerank",
  modelId,
  doRerank: async ({ documents, query, topN, ...passed }) => {
    const input = defined({ model: modelId, query, documents: textsOf(documents), top_n: topN })
    const subject = { path: "/v1/rerank", modelId, modelType: "rerankingModel" } as const
    return answered(client, "rerank", subject, input, settle(defaults, passed), (value) => ({
      ranking: listOr(objectOr(value)["results"]).map(({ index, relevance_score }) => ({
        index: Number(index),
        relevanceScore: Number(relevance_score)
      })),
      warnings: documents.type === "text" ? [] : [asJson]
    }))
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
    const input = defined({ model: modelId, input: values, dimensions })
    const subject = { path: "/v1/embeddings", modelId, modelType: "embeddingModel" } as const
    return answered(client, "embeddings", subject, input, settle(defaults, passed), (value) => {
      const { tokens, vectors } = vectorsOf(value)
      return { embeddings: vectors, ...(tokens === undefined ? {} : { usage: { tokens } }), warnings: [] }
    })
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
  /** A model over `POST /v1/responses`, in OpenAI's newer format. The gateway keeps no response. */
  readonly responses: (modelId: string, options?: TollgateCallOptions) => LanguageModelV4
  /** A model over `models.generateContent`, in the format of Google. */
  readonly gemini: (modelId: string, options?: TollgateCallOptions) => LanguageModelV4
  readonly languageModel: (modelId: string, options?: TollgateCallOptions) => LanguageModelV4
  readonly embeddingModel: (modelId: string, options?: TollgateCallOptions) => EmbeddingModelV4
  /** A model over `images.generate`, and with images in the prompt `images.edit`. */
  readonly imageModel: (modelId: string, options?: TollgateCallOptions) => ImageModelV4
  readonly rerankingModel: (modelId: string, options?: TollgateCallOptions) => RerankingModelV4
  /** For all that `ai` does not have, such as `resume` and `withBudget`. */
  readonly client: PromiseClient
}

type AnyFunction = (input: never, options?: never) => object

/** A client of any package: the types of some name fewer options than those of others. */
export type TollgateClient = Readonly<Record<Name | Api["stream"], AnyFunction>> & {
  readonly quote: Readonly<Record<Name, AnyFunction>>
  readonly resume: object
  readonly close: () => Promise<void>
}

/** A client, or what `createClient` makes one of. */
export type TollgateProviderSettings =
  | { readonly client: TollgateClient }
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
  // The operator chooses the path of `images.generate`.
  const client = (given ?? createClient({ discover: !("bindings" in options), ...options })) as PromiseClient
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
    responses: over(responsesApi),
    gemini: over(geminiApi),
    languageModel: chat,
    embeddingModel: (modelId: string, options: TollgateCallOptions = {}) =>
      embeddingModel(client, modelId, checkOptions(options, "options")),
    rerankingModel: (modelId: string, options: TollgateCallOptions = {}) =>
      rerankingModel(client, modelId, checkOptions(options, "options")),
    imageModel: (modelId: string, options: TollgateCallOptions = {}) =>
      imageModel(client, modelId, checkOptions(options, "options"))
  })
}
