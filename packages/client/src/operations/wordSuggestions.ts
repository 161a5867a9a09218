import type { Input } from "@tollgate/contract/Operation"
import { wordSuggestions as operation } from "@tollgate/contract/operations/wordSuggestions"
import type { ResellerEnvelope } from "@tollgate/contract/resources/ResellerEnvelope"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"
import { pending } from "../pending/pending.ts"

export interface WordSuggestionsInput extends Input<typeof operation> {
  /** The language. */
  readonly language?: string
  /** A region code. */
  readonly region?: string
}

export type WordSuggestionsError = Listed<CallError<typeof operation>>

/**
 * Search words that a shop suggests.
 *
 * @example
 * const { data } = yield* wordSuggestions({ search_word: "canoe", language: "en", region: "US" })
 */
export const wordSuggestions: (
  input: WordSuggestionsInput,
  options?: CallOptions
) => Effect.Effect<ResellerEnvelope, WordSuggestionsError, Client> = /* @__PURE__ */ call(
  /* @__PURE__ */ pending(operation)
)
