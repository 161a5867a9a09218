import { estimateTokens } from "@tollgate/contract/price/estimate"
import * as Context from "effect/Context"
import type { Decoded } from "../Exchange.ts"
import type { PriceBook } from "../Prices.ts"

/** The requests per minute and key where the upstream's own quota is the ceiling; none while nobody says what it is. */
export const UpstreamRpm = Context.Reference<number | undefined>("@tollgate/gateway/UpstreamRpm", {
  defaultValue: () => undefined
})

/** What a request asks for, besides being one more request of its key. */
export interface Claim {
  /** The ceiling of the operation's group. */
  readonly group?: { readonly id: string; readonly rpm: number }
  /** Estimated; missing where tokens do not count. */
  readonly tokens?: number
  readonly concurrent: boolean
}

/** Of a request that is carried no further. */
export const bare: Claim = { concurrent: false }

export const claim = (exchange: Decoded, prices: PriceBook, upstreamRpm: number | undefined): Claim => {
  const { input, model, operation } = exchange
  const { concurrency, id, rpm, tokens } = operation.limit
  const ceiling = rpm === "upstream" ? upstreamRpm : rpm
  const group = ceiling === undefined ? {} : { group: { id, rpm: ceiling } }
  if (exchange.wantsQuote) return { ...group, concurrent: false }
  return {
    ...group,
    ...(tokens ? { tokens: estimateTokens(prices.of(operation, model), input.body) } : {}),
    concurrent: concurrency
  }
}
