import * as Headers from "@tollgate/contract/Headers"
import { formatUsd, fromMicros, type NanoUsd, parseUsd, toMicros } from "@tollgate/contract/Money"
import { type Estimate, estimate as estimateOf } from "@tollgate/contract/price/estimate"
import { outputBound as boundOf } from "@tollgate/contract/price/outputBound"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Priced } from "../Exchange.ts"
import { refuse, type Refused } from "../Refused.ts"

// Rounded as it would be charged, so that rounding cannot exceed the cap.
const rounded = (amount: NanoUsd): NanoUsd => fromMicros(toMicros(amount))

const overCap = (what: string, { likely, most }: Estimate, cap: NanoUsd): Refused =>
  refuse(
    "over_cap",
    `${what} can cost up to ${formatUsd(rounded(most))} USD, more than the cap of ${formatUsd(cap)} USD;` +
      ` the estimate is ${formatUsd(rounded(likely))} USD.`
  )

const withinCap = (exchange: Priced, cap: NanoUsd): Effect.Effect<Priced, Refused> => {
  const { estimate, input, model, price, principal } = exchange
  const outputBound = boundOf(price, input.body, cap, principal?.multiplier, model)
  if (outputBound === undefined) {
    return rounded(estimate.most) <= cap
      ? Effect.succeed({ ...exchange, cap })
      : Effect.fail(overCap("The call", estimate, cap))
  }
  // Refused with the price of the shortest answer.
  const bounded = estimateOf(price, input.body, principal?.multiplier, model, Math.max(outputBound, 1))
  if (Option.isNone(bounded)) return Effect.fail(overCap("The call", estimate, cap))
  return outputBound < 1
    ? Effect.fail(overCap("The call, even with the shortest answer,", bounded.value, cap))
    : Effect.succeed({ ...exchange, cap, outputBound, estimate: bounded.value })
}

/**
 * Reads the caller's cap, which the charge never exceeds. A call by tokens without an output bound gets the one that the cap
 * pays for. Refuses any other call whose highest possible cost exceeds the cap.
 */
export const cap = (exchange: Priced): Effect.Effect<Priced, Refused> => {
  const { operation, request } = exchange
  const text = request.headers[Headers.maxPrice.key(operation.names)]
  if (text === undefined) return Effect.succeed(exchange)
  const limit = parseUsd(text)
  if (Option.isSome(limit)) return withinCap(exchange, limit.value)
  const header = Headers.maxPrice(operation.names)
  const message = `${header} must be a decimal amount of USD with up to nine decimals.`
  return Effect.fail(refuse("invalid_request", message, { param: header }))
}
