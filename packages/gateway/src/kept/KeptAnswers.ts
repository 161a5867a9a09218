import type { NanoUsd } from "@tollgate/contract/Money"
import type { Evidence } from "@tollgate/contract/price/evidence"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Answer } from "../exchange/Reply.ts"

/** An answer that calls of the same account with the same request may get again. */
export interface CachedAnswer {
  /** The request id of the call that it was the answer to. */
  readonly call: string
  readonly answer: Answer
  /** The list price of that call. */
  readonly list: NanoUsd
  readonly evidence: Evidence
  /** Unix milliseconds. */
  readonly storedAt: number
}

/** Kept answers of all operations, by a digest of the request. The reseller cache is `ResellerCache`. */
export class KeptAnswers extends Context.Service<
  KeptAnswers,
  {
    /** `undefined`: there is none, it has expired, or it is another account's. */
    readonly find: (account: string, key: string) => Effect.Effect<CachedAnswer | undefined, SqlError>
    /** Replaces the answer that the key has. Does nothing if it is larger than the account's share. */
    readonly store: (
      account: string,
      key: string,
      cached: CachedAnswer,
      lifetimeMillis: number
    ) => Effect.Effect<void, SqlError>
  }
>()("@tollgate/gateway/KeptAnswers") {}

/** The bytes of kept answers that one account may have. New ones evict the oldest. */
export const KeptAnswersBytes = Context.Reference<number>("@tollgate/gateway/KeptAnswersBytes", {
  defaultValue: () => 64 * 1024 * 1024
})
