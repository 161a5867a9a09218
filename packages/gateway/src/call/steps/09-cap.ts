import * as Headers from "@tollgate/contract/Headers"
import { type NanoUsd, parseUsd } from "@tollgate/contract/Money"
import type { Names } from "@tollgate/contract/Names"
import { applyCap, type Capped } from "@tollgate/contract/price/cap"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Alternative, Priced } from "../../exchange/Exchange.ts"
import { dearer } from "./06-price.ts"
import { refuse, type Refused, tellingCost } from "@tollgate/contract/errors/Refused"

const capOf = (
  { input, principal }: Priced,
  cap: NanoUsd,
  { estimate, model, price }: Alternative
): Result.Result<Capped, string> => applyCap(cap, estimate, price, input.body, principal?.multiplier, model)

/** The cap pays for whichever model may serve the call. */
const capOfAll = (exchange: Priced, cap: NanoUsd): Result.Result<Capped, string> => {
  let all = capOf(exchange, cap, exchange)
  for (const other of exchange.alternatives?.values() ?? []) {
    if (other === "unfit" || Result.isFailure(all)) continue
    const own = capOf(exchange, cap, other)
    if (Result.isFailure(own)) return own
    const bounds = [all.success.outputBound, own.success.outputBound].filter((bound) => bound !== undefined)
    all = Result.succeed({
      cap,
      estimate: dearer(all.success.estimate, own.success.estimate),
      ...(bounds.length === 0 ? {} : { outputBound: Math.min(...bounds) })
    })
  }
  return all
}

export const withCap = (exchange: Priced, cap: NanoUsd): Effect.Effect<Priced, Refused> => {
  const capped = capOfAll(exchange, cap)
  return Result.isSuccess(capped)
    ? Effect.succeed({ ...exchange, ...capped.success })
    : Effect.fail(tellingCost(refuse("over_cap", capped.failure), exchange.estimate))
}

/** Applies the cap that the caller's header gives. */
const withCallersCap = (exchange: Priced, text: string): Effect.Effect<Priced, Refused> => {
  const limit = parseUsd(text)
  if (Option.isSome(limit)) return withCap(exchange, limit.value)
  const header = Headers.maxPrice(exchange.operation.names)
  const message = `${header} must be a decimal amount of USD with up to nine decimals.`
  return Effect.fail(refuse("invalid_request", message, { param: header }))
}

/**
 * Reads the caller's cap, which the charge never exceeds, and asks for an approval if a grant needs one. A call by tokens without
 * an output bound gets the one that the cap pays for. Any other call whose highest possible cost exceeds the cap is refused.
 *
 * The stored answer of an earlier call with the same idempotency key costs nothing, so no cap refuses it. A call that proves to be
 * no repeat when it is reserved is refused with `overCap` there.
 */
export const cap = (
  names: Names,
  approved: (exchange: Priced) => Effect.Effect<Priced, Refused>,
  isClaimed: (id: string) => Effect.Effect<boolean>,
  idempotencyId: (exchange: Priced) => Effect.Effect<string> | undefined
) => {
  const header = Headers.maxPrice.key(names)
  return (exchange: Priced): Effect.Effect<Priced, Refused> => {
    const { principal, request } = exchange
    const text = request.headers[header]
    const asksAbove = principal?.grant?.askAbove !== undefined
    if (text === undefined && !asksAbove) return Effect.succeed(exchange)
    const capped = text === undefined ? Effect.succeed(exchange) : withCallersCap(exchange, text)
    return Effect.catchEager(asksAbove ? Effect.flatMapEager(capped, approved) : capped, (overCap) => {
      const id = overCap.refusal.code === "over_cap" ? idempotencyId(exchange) : undefined
      if (id === undefined) return Effect.fail(overCap)
      return Effect.flatMap(Effect.flatMap(id, isClaimed), (claimed) =>
        claimed ? Effect.succeed({ ...exchange, overCap }) : Effect.fail(overCap)
      )
    })
  }
}
