import {
  type EmbeddingModelV4,
  type LanguageModelV4,
  NoSuchModelError,
  type ProviderV4,
  type RerankingModelV4
} from "@ai-sdk/provider"
import { createClient, type PromiseClient } from "@tollgate/client"
import { type Api, chatApi, messagesApi } from "./apis.ts"
import { checkOptions, type TollgateCallOptions } from "./CallOptions.ts"
import { embeddingModel } from "./embeddingModel.ts"
import { languageModel } from "./languageModel.ts"
import { rerankingModel } from "./rerankingModel.ts"

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
