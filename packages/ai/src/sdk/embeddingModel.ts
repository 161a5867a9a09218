import type { EmbeddingModelV4 } from "@ai-sdk/provider"
import type { PromiseClient } from "@tollgate/client"
import { vectorsOf } from "../conversation/parts.ts"
import { settle, type TollgateCallOptions } from "./CallOptions.ts"
import { errorOf, metadataOf, quoted } from "./errors.ts"

/** The vectors of `embeddings`. All values are one call, so that an idempotency key is that of all. */
export const embeddingModel = (
  client: PromiseClient,
  modelId: string,
  defaults: TollgateCallOptions
): EmbeddingModelV4 => ({
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
