import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { formatUsd, fromMicros, type NanoUsd, roundToMicros } from "../Money.ts"
import { contractOf, estimate, type Estimate } from "./contracts.ts"
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

const overCap = ({ most, reads }: Estimate, cap: NanoUsd): string =>
  `can cost up to ${formatUsd(rounded(most))} USD, more than the cap of ${formatUsd(cap)} USD` +
  (reads === undefined ? "" : ` (with ${reads} the model may read as much as fits into its context window)`)

/** Applies a cap to a call with this estimate. Fails with the reason if the cap does not pay for the call. */
export const applyCap = (
  cap: NanoUsd,
  estimated: Estimate,
  price: Price,
  request: unknown,
  multiplier: Multiplier = one,
  named?: string
): Result.Result<Capped, string> => {
  const bound = contractOf(price).outputBound?.(price, request, cap, multiplier, named)
  if (bound === undefined) {
    return rounded(estimated.most) <= cap
      ? Result.succeed({ cap, estimate: estimated })
      : Result.fail(`The call ${overCap(estimated, cap)}; the estimate is ${formatUsd(rounded(estimated.likely))} USD.`)
  }
  const bounded = Option.getOrElse(estimate(price, request, multiplier, named, Math.max(bound, 1)), () => estimated)
  return bound > 0
    ? Result.succeed({ cap, estimate: bounded, outputBound: bound })
    : Result.fail(`Even with the shortest answer, the call ${overCap(bounded, cap)}.`)
}
