import { estimateTokens } from "@tollgate/contract/price/estimate"
import * as Context from "effect/Context"
import type { Decoded } from "../Exchange.ts"
import type { PriceBook } from "../Prices.ts"

/** Requests per minute and key for groups that the contract limits by the upstream's own quota. `undefined`: no limit. */
export const UpstreamRpm = Context.Reference<number | undefined>("@tollgate/gateway/UpstreamRpm", {
  defaultValue: () => undefined
})

/** What a request needs of its key's limits, besides one request per minute. */
export interface Demand {
  /** The operation's limit group and its own limit. */
  readonly group?: { readonly id: string; readonly rpm: number }
  /** Estimated. `undefined`: the operation does not count tokens. */
  readonly tokens?: number
  /** Needs a lease for as long as the call runs. */
  readonly concurrent: boolean
}

/** One request and nothing else. */
export const requestOnly: Demand = { concurrent: false }

export const demandOf = (exchange: Decoded, prices: PriceBook, upstreamRpm: number | undefined): Demand => {
  const { input, model, operation } = exchange
  const { concurrency, id, rpm, tokens } = operation.limit
  const groupRpm = rpm === "upstream" ? upstreamRpm : rpm
  const group = groupRpm === undefined ? {} : { group: { id, rpm: groupRpm } }
  if (exchange.wantsQuote) return { ...group, concurrent: false }
  return {
    ...group,
    ...(tokens ? { tokens: estimateTokens(prices.of(operation, model), input.body, model) } : {}),
    concurrent: concurrency
  }
}
