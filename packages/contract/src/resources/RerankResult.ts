import * as Schema from "effect/Schema"
import { Open } from "../Open.ts"

export const RankedDocument = Open({
  /** The position in the request's `documents`. */
  index: Schema.Int,
  relevance_score: Schema.Finite,
  document: Open({ text: Schema.String })
})
export interface RankedDocument extends Schema.Schema.Type<typeof RankedDocument> {}

export const RerankResult = Open({
  model: Schema.String,
  results: Schema.Array(RankedDocument),
  usage: Open({ total_tokens: Schema.Int })
}).annotate({ identifier: "RerankResult" })
export interface RerankResult extends Schema.Schema.Type<typeof RerankResult> {
  readonly results: ReadonlyArray<RankedDocument>
}
