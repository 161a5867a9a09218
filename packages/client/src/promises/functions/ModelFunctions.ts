import type { CallPromise } from "../CallPromise.ts"
import type { EmbeddingList } from "@tollgate/contract/protocols/openaiEmbeddings"
import type { PromiseCallOptions, PromiseStreamOptions } from "../PromiseOptions.ts"
import type { EventStream } from "../Promises.ts"
import type { DeepResearchInput, DeepResearchResult } from "../../operations/deepResearch.ts"
import type { DeepResearchEvent, DeepResearchStreamInput } from "../../operations/deepResearchStream.ts"
import type { EmbeddingsInput } from "../../operations/embeddings.ts"
import type { ImageGenerateInput, ImageGenerateResult } from "../../operations/imageGenerate.ts"
import type { ModelGetInput, ModelGetResult } from "../../operations/modelGet.ts"
import type { ModelListResult } from "../../operations/modelList.ts"
import type { ModelListGeminiInput, ModelListGeminiResult } from "../../operations/modelListGemini.ts"

/** Other calls of models. */
export interface ModelFunctions {
  /**
   * Searches and reasons over many sources. `deepResearchStream` streams the answer. The operator chooses its path: set
   * `discover` or `bindings` in the client's options.
   *
   * @example
   * const answer = await client.deepResearch({
   *   model: "sandbox",
   *   messages: [{ role: "user", content: "Why do rivers bend?" }]
   * })
   */
  readonly deepResearch: (input: DeepResearchInput, options?: PromiseCallOptions) => CallPromise<DeepResearchResult>

  /**
   * Searches and reasons over many sources, as a stream of events. The operator chooses its path: set `discover` or
   * `bindings` in the client's options.
   *
   * @example
   * const events = client.deepResearchStream({
   *   model: "sandbox",
   *   messages: [{ role: "user", content: "Why do rivers bend?" }]
   * })
   * for await (const event of events) console.log(event)
   */
  readonly deepResearchStream: (
    input: DeepResearchStreamInput,
    options?: PromiseStreamOptions
  ) => EventStream<DeepResearchEvent>

  /**
   * Turns texts into vectors, in the OpenAI style. Texts that mean similar things get vectors that are near each other.
   *
   * @example
   * const { data } = await client.embeddings({
   *   model: "sandbox",
   *   input: ["The Nile is a river.", "Everest is a mountain."]
   * })
   */
  readonly embeddings: (input: EmbeddingsInput, options?: PromiseCallOptions) => CallPromise<EmbeddingList>

  /**
   * Generates an image. The operator chooses its path: set `discover` or `bindings` in the client's options.
   *
   * @example
   * const image = await client.imageGenerate({ prompt: "A river from above" })
   */
  readonly imageGenerate: (input: ImageGenerateInput, options?: PromiseCallOptions) => CallPromise<ImageGenerateResult>

  /**
   * One of the models that can be called. A model that is not offered is `NotFound`.
   *
   * @example
   * const { id } = await client.modelGet({ id: "sandbox" })
   */
  readonly modelGet: (input: ModelGetInput, options?: PromiseCallOptions) => CallPromise<ModelGetResult>

  /**
   * The models that can be called.
   *
   * @example
   * const models = await client.modelList()
   */
  readonly modelList: (input?: void, options?: PromiseCallOptions) => CallPromise<ModelListResult>

  /**
   * The models that can be called, in the Gemini style.
   *
   * @example
   * const models = await client.modelListGemini({ pageSize: 50 })
   */
  readonly modelListGemini: (
    input: ModelListGeminiInput,
    options?: PromiseCallOptions
  ) => CallPromise<ModelListGeminiResult>
}
