import * as Headers from "@tollgate/contract/Headers"
import { formatUsd, fromMicros, micro, type NanoUsd, parseUsd, roundToMicros } from "@tollgate/contract/Money"
import { applyCap } from "@tollgate/contract/price/cap"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Priced } from "../../exchange/Exchange.ts"
import { type Resources, whereToChange } from "../../identity/grant/Resources.ts"
import { refuse, type Refused, tellingCost } from "@tollgate/contract/errors/Refused"

const withCap = (exchange: Priced, cap: NanoUsd): Effect.Effect<Priced, Refused> => {
  const { estimate, input, model, price, principal } = exchange
  const capped = applyCap(cap, estimate, price, input.body, principal?.multiplier, model)
  return Result.isSuccess(capped)
    ? Effect.succeed({ ...exchange, ...capped.success })
    : Effect.fail(tellingCost(refuse("over_cap", capped.failure), estimate))
}

const usd = (amount: NanoUsd): string => `${formatUsd(amount)} USD`

/**
 * A grant can say above which amount a call needs a yes. A call below it gets the amount as its cap, so that it cannot cost
 * more after all.
 */
const withinAskAbove = (
  exchange: Priced,
  askAbove: NanoUsd,
  resources: Resources | undefined
): Effect.Effect<Priced, Refused> => {
  const { cap, estimate, operation } = exchange
  const most = cap ?? fromMicros(roundToMicros(estimate.most))
  const header = Headers.maxPrice(operation.names)
  const required = refuse(
    "approval_required",
    `The call can cost up to ${usd(most)}, and this application needs a yes for a call above ${usd(askAbove)}.` +
      ` Ask for less, or send ${header} with at most this amount. ${whereToChange("The amount can be changed", resources)}`
  )
  if (most > askAbove) return Effect.fail(tellingCost(required, estimate))
  if (cap !== undefined) return Effect.succeed(exchange)
  return Effect.mapError(withCap(exchange, askAbove), () => tellingCost(required, estimate))
}

/**
 * Reads the caller's cap, which the charge never exceeds. A call by tokens without an output bound gets the one that the cap
 * pays for. Any other call whose highest possible cost exceeds the cap is refused.
 */
const callersCap = (exchange: Priced): Effect.Effect<Priced, Refused> => {
  const { operation, request } = exchange
  const text = request.headers[Headers.maxPrice.key(operation.names)]
  if (text === undefined) return Effect.succeed(exchange)
  const limit = parseUsd(text)
  if (Option.isSome(limit)) return withCap(exchange, limit.value)
  const header = Headers.maxPrice(operation.names)
  const message = `${header} must be a decimal amount of USD with up to nine decimals.`
  return Effect.fail(refuse("invalid_request", message, { param: header }))
}

export const cap =
  (resources: Resources | undefined) =>
  (exchange: Priced): Effect.Effect<Priced, Refused> => {
    const askAbove = exchange.principal?.grant?.askAbove
    if (askAbove === undefined) return callersCap(exchange)
    const amount = fromMicros(micro(askAbove))
    return Effect.flatMap(callersCap(exchange), (capped) => withinAskAbove(capped, amount, resources))
  }
