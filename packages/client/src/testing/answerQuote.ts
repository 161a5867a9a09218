import * as Headers from "@tollgate/contract/Headers"
import { toMicros } from "@tollgate/contract/Money"
import { isQuotable } from "@tollgate/contract/Operation"
import { Quote } from "@tollgate/contract/resources/Quote"
import * as Schema from "effect/Schema"
import type { ReceivedCall } from "./Call.ts"
import type { Prices } from "./Prices.ts"
import { json, refusal, withGatewayHeaders, type TextAnswer } from "./wire.ts"

const validMillis = 300_000
const encode = Schema.encodeSync(Quote)

/** The quote for the call; `undefined` if no price is set. */
export const answerQuote = (prices: Prices, received: ReceivedCall): TextAnswer | undefined => {
  const { at, bound, operation, requestId } = received
  if (!isQuotable(bound)) {
    const message = `${operation} is free: call it without ${Headers.costMode(bound.names)}.`
    return refusal(received, { code: "quote_unsupported", message })
  }
  const estimate = prices.estimate(received)
  if (estimate === undefined) return undefined
  const quote = encode({
    operation_id: operation,
    currency: "USD",
    estimate_micros_usd: toMicros(estimate.likely),
    max_micros_usd: toMicros(estimate.most),
    price_contract: prices.of(received).contract,
    basis: prices.basis(received),
    expires_at: new Date(at + validMillis).toISOString(),
    request_id: requestId
  })
  return withGatewayHeaders(received, { status: 200, headers: json, body: JSON.stringify(quote) }, { state: "none" })
}
