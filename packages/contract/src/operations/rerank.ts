import * as Schema from "effect/Schema"
import { usd } from "../Money.ts"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { RerankResult } from "../resources/RerankResult.ts"

export const summary = "Order documents by their relevance to a query"
export const description = "Sorts search results, passages or other texts, the best match first, each with a score."

export const rerank = Operation.make({
  ...kinds.nativeCall,
  id: "rerank",
  category: "rerank",
  path: "/v1/rerank",
  request: {
    body: Open({
      model: Schema.optionalKey(Schema.String).annotate({ description: "The name of a rerank model." }),
      query: Schema.NonEmptyString.annotate({ description: "The documents are ordered by their relevance to it." }),
      documents: Schema.Array(Schema.String).check(Schema.isMinLength(1)).annotate({ description: "At least one." }),
      top_n: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))).annotate({
        description: "How many to return, the most relevant first."
      })
    })
  },
  success: RerankResult,
  family: "openai",
  price: {
    contract: "per_token",
    perMillion: usd("0.050"),
    texts: [{ field: "query", timesItemsOf: "documents" }, { field: "documents" }]
  },
  bodyLimit: Operation.bodyLimits.documents
})
