import * as Headers from "@tollgate/contract/Headers"
import { formatUsd, fromMicros, toMicros } from "@tollgate/contract/Money"
import type { ReceivedCall } from "./Call.ts"
import { usd } from "./amounts.ts"
import type { Prices } from "./Prices.ts"
import { refusal, type TextAnswer } from "./wire.ts"

/** The refusal, if the call can cost more than its cap. */
export const refuseOverCap = (prices: Prices, received: ReceivedCall): TextAnswer | undefined => {
  const text = received.headers[Headers.maxPrice.key(received.bound.names)]
  const estimate = text === undefined ? undefined : prices.estimate(received)
  if (text === undefined || estimate === undefined) return undefined
  const most = fromMicros(toMicros(estimate.most))
  const cap = usd(text)
  if (most <= cap) return undefined
  const message = `The call can cost up to ${formatUsd(most)} USD, more than the cap of ${formatUsd(cap)} USD.`
  return refusal(received, { code: "over_cap", message })
}
