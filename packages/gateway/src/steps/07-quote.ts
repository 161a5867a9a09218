import * as Headers from "@tollgate/contract/Headers"
import { toMicros } from "@tollgate/contract/Money"
import { isQuotable } from "@tollgate/contract/Operation"
import { basis } from "@tollgate/contract/price/basis"
import type { Quote } from "@tollgate/contract/resources/Quote"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Priced, Routed } from "../Exchange.ts"
import { refuse, type Refused } from "../Refused.ts"

const validMillis = 300_000

export const wantsQuote = ({ operation, request }: Routed): boolean =>
  request.headers[Headers.costMode.key(operation.names)] !== undefined

/** The price of the call in place of the call. */
export const quote = (exchange: Priced): Effect.Effect<Quote, Refused> => {
  const { estimate, operation, price, request, requestId } = exchange
  const header = Headers.costMode(operation.names)
  if (request.headers[Headers.costMode.key(operation.names)] !== "quote") {
    return Effect.fail(refuse("invalid_request", `${header} takes quote.`, { param: header }))
  }
  if (!isQuotable(operation)) {
    return Effect.fail(refuse("quote_unsupported", `${operation.id} is free; there is no quote.`))
  }
  return Effect.map(Clock.currentTimeMillis, (now) => ({
    operation_id: operation.id,
    currency: "USD",
    estimate_micros_usd: toMicros(estimate.likely),
    max_micros_usd: toMicros(estimate.most),
    price_contract: price.contract,
    basis: basis(price),
    expires_at: new Date(now + validMillis).toISOString(),
    request_id: requestId
  }))
}
