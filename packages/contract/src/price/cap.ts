import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { formatUsd, fromMicros, type NanoUsd, roundToMicros } from "../Money.ts"
import { type Estimate, estimate } from "./estimate.ts"
import { contractOf } from "./contracts.ts"
import { type Multiplier, one, type Price } from "./Price.ts"

/** A call that a cap pays for. */
export interface Capped {
  readonly cap: NanoUsd
  readonly estimate: Estimate
  /** The most tokens of an answer, if the request does not limit them itself. */
  readonly outputBound?: number
}

// Rounded as it would be charged, so that rounding cannot exceed the cap.
const rounded = (amount: NanoUsd): NanoUsd => fromMicros(roundToMicros(amount))

const overCap = ({ most }: Estimate, cap: NanoUsd): string =>
  `can cost up to ${formatUsd(rounded(most))} USD, more than the cap of ${formatUsd(cap)} USD`

/** The most that the call can cost if the upstream reads all that it may. A quote tells what a cap has to pay for. */
export const inFull = (
  estimated: Estimate,
  price: Price,
  request: unknown,
  multiplier: Multiplier = one,
  named?: string,
  limit?: number
): Estimate =>
  contractOf(price).readsMore?.(price, request, named)?.isBounded === true
    ? Option.getOrElse(estimate(price, request, multiplier, named, limit, true), () => estimated)
    : estimated

/** Applies a cap to a call with this estimate. Fails with the reason if the cap does not pay for the call. */
export const applyCap = (
  cap: NanoUsd,
  estimated: Estimate,
  price: Price,
  request: unknown,
  multiplier: Multiplier = one,
  named?: string
): Result.Result<Capped, string> => {
  const more = contractOf(price).readsMore?.(price, request, named)
  if (more?.isBounded === false) {
    return Result.fail(
      `${more.at.join(".")}: With this the upstream reads more than the request holds, and the model's price does not say how` +
        ` much. Call without a cap, or ask the operator to set the model's contextWindow.`
    )
  }
  const bound = contractOf(price).outputBound?.(price, request, cap, multiplier, named)
  if (bound === undefined) {
    const full = more === undefined ? estimated : inFull(estimated, price, request, multiplier, named)
    return rounded(full.most) <= cap
      ? Result.succeed({ cap, estimate: full })
      : Result.fail(`The call ${overCap(full, cap)}; the estimate is ${formatUsd(rounded(full.likely))} USD.`)
  }
  const bounded = Option.getOrElse(
    estimate(price, request, multiplier, named, Math.max(bound, 1), more !== undefined),
    () => estimated
  )
  return bound > 0
    ? Result.succeed({ cap, estimate: bounded, outputBound: bound })
    : Result.fail(`Even with the shortest answer, the call ${overCap(bounded, cap)}.`)
}
