import * as Headers from "@tollgate/contract/Headers"
import type { ReceivedCall } from "./Call.ts"
import { usd } from "./amounts.ts"
import type { Prices } from "./Prices.ts"
import { refusal, type TextAnswer } from "./wire.ts"

/** The refusal, if the cap does not pay for the call. */
export const refuseOverCap = (prices: Prices, received: ReceivedCall): TextAnswer | undefined => {
  const text = received.headers[Headers.maxPrice.key(received.bound.names)]
  const message = text === undefined ? undefined : prices.overCap(received, usd(text))
  return message === undefined ? undefined : refusal(received, { code: "over_cap", message })
}
