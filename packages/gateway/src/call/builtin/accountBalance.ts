import { formatUsd, fromMicros, micro, safeMicros } from "@tollgate/contract/Money"
import { AvailableSpending } from "@tollgate/contract/resources/AvailableSpending"
import { refuse } from "@tollgate/contract/errors/Refused"
import type { Ledger } from "@tollgate/ledger/ledger/Ledger"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Builtin, json } from "../../exchange/Reply.ts"
import type { RateLimitState } from "../../limits/KeyLimits.ts"
import type { Limits } from "../../limits/Limits.ts"

const encode = Schema.encodeSync(Schema.fromJsonString(AvailableSpending))

const usd = (micros: bigint): string => formatUsd(fromMicros(micro(micros)))

const rateOf = (rate: RateLimitState["requests"] | undefined) =>
  rate === undefined ? null : { limit: rate.limit, remaining: rate.remaining }

/** What the caller may still spend and send. */
export const accountBalance =
  (ledger: Ledger["Service"], limits: Limits["Service"]): Builtin =>
  ({ principal }) =>
    principal === undefined
      ? Effect.fail(refuse("missing_credential", "A balance needs a credential."))
      : Effect.flatMap(Effect.all([ledger.left(principal), limits.state(principal)]), ([left, state]) =>
          left === undefined
            ? Effect.fail(refuse("billing_unavailable", "The balance is not available.", { retryAfter: 1_000 }))
            : Effect.succeed(
                json(
                  encode({
                    currency: "USD",
                    spendable_usd: usd(left.spendable),
                    spendable_micros_usd: safeMicros(left.spendable) ?? Number.MAX_SAFE_INTEGER,
                    balance_usd: left.balance === undefined ? null : usd(left.balance),
                    budget:
                      left.budget === undefined
                        ? null
                        : { limit_usd: usd(left.budget.limit), left_usd: usd(left.budget.left) },
                    quota:
                      left.quota === undefined
                        ? null
                        : {
                            limit_usd: usd(left.quota.limit),
                            left_usd: usd(left.quota.left),
                            period: left.quota.period,
                            ends_at: Math.floor(left.quota.endsAt / 1_000)
                          },
                    requests: rateOf(state?.requests),
                    tokens: rateOf(state?.tokens)
                  }),
                  { "cache-control": "private, no-store" }
                )
              )
        )
