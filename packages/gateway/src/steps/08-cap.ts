import * as Headers from "@tollgate/contract/Headers"
import { formatUsd, fromMicros, parseUsd, toMicros } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Priced } from "../Exchange.ts"
import { refuse, type Refused } from "../Refused.ts"

/** Reads the caller's cap. Refuses a call whose highest possible cost exceeds it. */
export const cap = (exchange: Priced): Effect.Effect<Priced, Refused> => {
  const { estimate, operation, request } = exchange
  const text = request.headers[Headers.maxPrice.key(operation.names)]
  if (text === undefined) return Effect.succeed(exchange)
  const header = Headers.maxPrice(operation.names)
  const limit = parseUsd(text)
  if (Option.isNone(limit)) {
    return Effect.fail(
      refuse("invalid_request", `${header} must be a decimal amount of USD with up to nine decimals.`, {
        param: header
      })
    )
  }
  // Rounded as it would be charged, so that rounding cannot exceed the cap.
  const most = fromMicros(toMicros(estimate.most))
  return most <= limit.value
    ? Effect.succeed({ ...exchange, cap: limit.value })
    : Effect.fail(
        refuse(
          "over_cap",
          `The call can cost up to ${formatUsd(most)} USD, more than the cap of ${formatUsd(limit.value)} USD.`
        )
      )
}
