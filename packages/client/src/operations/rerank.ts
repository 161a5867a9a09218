import type { Input } from "@tollgate/contract/Operation"
import { rerank as operation } from "@tollgate/contract/operations/rerank"
import type { RerankResult } from "@tollgate/contract/resources/RerankResult"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface RerankInput extends Input<typeof operation> {
  /** The name of a rerank model. */
  readonly model?: string
  /** At least one. */
  readonly documents: ReadonlyArray<string>
  /** Return only this many, the most relevant ones. */
  readonly top_n?: number
}

export type RerankError = Listed<CallError<typeof operation>>

/**
 * Orders documents by their relevance to a query.
 *
 * @example
 * const { results } = yield* rerank({ query: "longest river", documents: ["The Nile…", "Everest…"] })
 */
export const rerank: (input: RerankInput, options?: CallOptions) => Effect.Effect<RerankResult, RerankError, Client> =
  /* @__PURE__ */ call(operation)
