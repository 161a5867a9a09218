import * as Headers from "@tollgate/contract/Headers"
import { toMicros } from "@tollgate/contract/Money"
import { isQuotable } from "@tollgate/contract/Operation"
import { basis } from "@tollgate/contract/price/contracts"
import { one } from "@tollgate/contract/price/Price"
import { Quote } from "@tollgate/contract/resources/Quote"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { json } from "../../exchange/Reply.ts"
import type { Priced } from "../../exchange/Exchange.ts"
import type { Admission } from "../../limits/Admission.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { type Ending, free, wholeEnding } from "../Ending.ts"

const validMillis = 300_000

const encode = Schema.encodeSync(Schema.fromJsonString(Quote))

const quoteOf = ({ estimate, model, operation, price, principal, requestId }: Priced, now: number): Quote => ({
  operation_id: operation.id,
  currency: "USD",
  estimate_micros_usd: toMicros(estimate.likely),
  max_micros_usd: toMicros(estimate.most),
  price_contract: price.contract,
  basis: basis(price, { multiplier: principal?.multiplier ?? one, model }),
  expires_at: new Date(now + validMillis).toISOString(),
  request_id: requestId
})

/** Answers with the price of the call instead of making it. */
export const quote = (exchange: Priced, admission: Admission): Effect.Effect<Ending, Refused> => {
  const { operation, request } = exchange
  const header = Headers.costMode(operation.names)
  if (request.headers[Headers.costMode.key(operation.names)] !== "quote") {
    return Effect.fail(refuse("invalid_request", `${header} must be quote.`, { param: header }))
  }
  if (!isQuotable(operation)) {
    return Effect.fail(refuse("quote_unsupported", `${operation.id} is free: call it without ${header}.`))
  }
  return Effect.map(Clock.currentTimeMillis, (now) =>
    wholeEnding(exchange, json(encode(quoteOf(exchange, now))), admission, free, undefined)
  )
}
