import type { Input, Success } from "@tollgate/contract/Operation"
import { deepResearch as operation } from "@tollgate/contract/operations/deepResearch"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"
import { pending } from "../pending/pending.ts"

export interface DeepResearchInput extends Input<typeof operation> {
  /** `deepResearchStream` streams. */
  readonly stream?: false | null
}
export interface DeepResearchResult extends Success<typeof operation> {}
export type DeepResearchError = Listed<CallError<typeof operation>>

/**
 * Searches and reasons over many sources. `deepResearchStream` streams the answer. The operator chooses its path: set
 * `discover` or `bindings` in the client's options.
 *
 * @example
 * const answer = yield* deepResearch({
 *   model: "sandbox",
 *   messages: [{ role: "user", content: "Why do rivers bend?" }]
 * })
 */
export const deepResearch: (
  input: DeepResearchInput,
  options?: CallOptions
) => Effect.Effect<DeepResearchResult, DeepResearchError, Client> = /* @__PURE__ */ call(
  /* @__PURE__ */ pending(operation),
  "deepResearchStream"
)
