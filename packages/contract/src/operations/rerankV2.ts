import * as Schema from "effect/Schema"
import { Maybe, Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { RerankV2Result } from "../resources/RerankResult.ts"

export const summary = "Order documents by their relevance to a query, in the Cohere format"
export const description = "A unit is up to 100 documents, and a long one counts as several."

/** The results have the positions of the documents. */
export const rerankV2 = Operation.make({
  ...kinds.nativeCall,
  id: "rerank.v2",
  category: "rerank",
  path: "/v2/rerank",
  request: {
    body: Open({
      model: Schema.String.annotate({ description: "The name of a rerank model." }),
      query: Schema.NonEmptyString.annotate({ description: "The documents are ordered by their relevance to it." }),
      documents: Schema.Array(Schema.String).check(Schema.isMinLength(1)).annotate({ description: "At least one." }),
      top_n: Maybe(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))).annotate({
        description: "How many to return, the most relevant first."
      }),
      max_tokens_per_doc: Maybe(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)))
    })
  },
  success: RerankV2Result,
  family: "openai",
  price: {
    contract: "answer_field",
    perUnit: "pending",
    field: ["meta", "billed_units", "search_units"],
    unit: "search unit",
    most: 100_000,
    requested: { items: "documents", itemsPerUnit: 100, bytesPerItem: 500 }
  },
  bodyLimit: Operation.bodyLimits.documents,
  beyond: true
})
