import { formatUsd, fromMicros, micro, safeMicros } from "@tollgate/contract/Money"
import { AvailableSpending } from "@tollgate/contract/resources/AvailableSpending"
import { invalid, refuse } from "@tollgate/contract/errors/Refused"
import type { Ledger } from "@tollgate/ledger/ledger/Ledger"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Builtin, json } from "../../exchange/Reply.ts"
import type { RateLimitState } from "../../limits/KeyLimits.ts"
import type { Limits } from "../../limits/Limits.ts"
import type { Catalogue } from "@tollgate/contract/Catalogue"
import type { Bound } from "@tollgate/contract/Operation"
import { modelsOf } from "@tollgate/contract/price/Price"
import { PricePage } from "@tollgate/contract/resources/PricePage"
import { inUsd, listPrice, type Model, type PriceBook, priceText } from "../../exchange/Prices.ts"

const encodeSpending = Schema.encodeSync(Schema.fromJsonString(AvailableSpending))

const usd = (micros: bigint): string => formatUsd(fromMicros(micro(micros)))

const rateOf = (rate: RateLimitState["requests"] | undefined) =>
  rate === undefined ? null : { limit: rate.limit, remaining: rate.remaining }

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
                  encodeSpending({
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

const encodePrices = Schema.encodeSync(Schema.fromJsonString(PricePage))

const defaultPage = 20

export const accountPrices = (catalogue: Catalogue, prices: PriceBook, models: ReadonlyArray<Model>): Builtin => {
  const sorted = catalogue.bound.toSorted((a, b) => (a.id < b.id ? -1 : 1))

  const entryOf = (operation: Bound, withModels: boolean): PricePage["prices"][number] => {
    const price = listPrice(operation, prices, models)
    const byModel = withModels ? Object.entries(modelsOf(price)) : []
    return {
      operation_id: operation.id,
      category: operation.category,
      price: priceText(price).words,
      ...(byModel.length === 0
        ? {}
        : {
            models: byModel.map(([model, { input, output }]) => ({ model, input: inUsd(input), output: inUsd(output) }))
          })
    }
  }

  return ({ input: { query } }) => {
    const { after = "", category, limit = defaultPage, operation_id } = query
    if (operation_id !== undefined) {
      const operation = catalogue.byId.get(String(operation_id))
      return operation === undefined
        ? Effect.fail(invalid("operation_id", "there is no such operation"))
        : Effect.succeed(json(encodePrices({ currency: "USD", prices: [entryOf(operation, true)], next: null })))
    }
    const rest = sorted.filter((one) => one.id > String(after) && (category === undefined || one.category === category))
    const page = rest.slice(0, Number(limit))
    const next = rest.length > page.length ? (page.at(-1)?.id ?? null) : null
    const body = encodePrices({ currency: "USD", prices: page.map((operation) => entryOf(operation, false)), next })
    return Effect.succeed(json(body))
  }
}
