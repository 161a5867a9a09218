import * as Schema from "effect/Schema"
import { Open } from "../Open.ts"

export const RankedDocument = Open({
  /** The position in the request's `documents`. */
  index: Schema.Int,
  relevance_score: Schema.Finite,
  document: Open({ text: Schema.String })
})
export type RankedDocument = typeof RankedDocument.Type

export const RerankResult = Open({
  model: Schema.String,
  results: Schema.Array(RankedDocument),
  usage: Open({ total_tokens: Schema.Int })
}).annotate({ identifier: "RerankResult" })
export type RerankResult = typeof RerankResult.Type
