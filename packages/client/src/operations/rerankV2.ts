import type { Input } from "@tollgate/contract/Operation"
import { rerankV2 as operation } from "@tollgate/contract/operations/rerankV2"
import type { RerankV2Result } from "@tollgate/contract/resources/RerankV2Result"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface RerankV2Input extends Input<typeof operation> {
  /** At least one. */
  readonly documents: ReadonlyArray<string>
  /** Return only this many, the most relevant ones. */
  readonly top_n?: number | null
}

export type RerankV2Error = Listed<CallError<typeof operation>>

/**
 * Orders documents by their relevance to a query, in the Cohere style. The results have the positions of the documents.
 *
 * @example
 * const { results } = yield* rerankV2({
 *   model: "rerank",
 *   query: "longest river",
 *   documents: ["The Nile…", "Everest…"]
 * })
 */
export const rerankV2: (
  input: RerankV2Input,
  options?: CallOptions
) => Effect.Effect<RerankV2Result, RerankV2Error, Client> = /* @__PURE__ */ call(operation)
