import type { RerankingModelV4, RerankingModelV4CallOptions, SharedV4Warning } from "@ai-sdk/provider"
import type { PromiseClient } from "@tollgate/client"
import { settle, type TollgateCallOptions } from "./CallOptions.ts"
import { errorOf, metadataOf, quoted } from "./errors.ts"

/** The operations rank texts, so that an object is sent as JSON. */
const textsOf = ({ type, values }: RerankingModelV4CallOptions["documents"]): ReadonlyArray<string> =>
  type === "text" ? values : values.map((value) => JSON.stringify(value))

const asJson: SharedV4Warning = { type: "compatibility", feature: "object documents", details: "They are sent as JSON" }

/** The ranking of `rerank`. */
export const rerankingModel = (
  client: PromiseClient,
  modelId: string,
  defaults: TollgateCallOptions
): RerankingModelV4 => ({
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
