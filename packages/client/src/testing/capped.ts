import * as Headers from "@tollgate/contract/Headers"
import { formatUsd, fromMicros, toMicros } from "@tollgate/contract/Money"
import type { Exchange } from "./Call.ts"
import { usd } from "./amounts.ts"
import type { Prices } from "./Prices.ts"
import { refusal, type Written } from "./wire.ts"

/** The refusal of a call that can cost more than its cap. */
export const capped = (prices: Prices, exchange: Exchange): Written | undefined => {
  const text = exchange.headers[Headers.maxPrice.key(exchange.bound.names)]
  const estimate = text === undefined ? undefined : prices.estimate(exchange)
  if (text === undefined || estimate === undefined) return undefined
  const most = fromMicros(toMicros(estimate.most))
  const cap = usd(text)
  if (most <= cap) return undefined
  const message = `The call can cost up to ${formatUsd(most)} USD, more than the cap of ${formatUsd(cap)} USD.`
  return refusal(exchange, { code: "over_cap", message })
}
