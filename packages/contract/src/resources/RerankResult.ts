import * as Schema from "effect/Schema"
import { Maybe, Open } from "../Open.ts"

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

export const RankedIndex = Open({
  /** The position in the request's `documents`. */
  index: Schema.Int,
  relevance_score: Schema.Finite
})
export interface RankedIndex extends Schema.Schema.Type<typeof RankedIndex> {}

/** What Cohere's answers say about themselves. */
export const CohereMeta = Open({
  api_version: Maybe(Open({ version: Maybe(Schema.String) })),
  billed_units: Maybe(Open({ search_units: Maybe(Schema.Finite) }))
})
export interface CohereMeta extends Schema.Schema.Type<typeof CohereMeta> {}

export const RerankV2Result = Open({
  id: Maybe(Schema.String),
  results: Schema.Array(RankedIndex),
  meta: Maybe(CohereMeta)
}).annotate({ identifier: "RerankV2Result" })
export interface RerankV2Result extends Schema.Schema.Type<typeof RerankV2Result> {
  readonly results: ReadonlyArray<RankedIndex>
}
