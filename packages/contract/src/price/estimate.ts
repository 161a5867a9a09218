import * as Option from "effect/Option"
import type { NanoUsd } from "../Money.ts"
import { contractOf } from "./contracts.ts"
import { ceilNano, times } from "./exact.ts"
import { type Multiplier, one, type Price } from "./Price.ts"

/** The expected cost of a call and its maximum. */
export interface Estimate {
  readonly likely: NanoUsd
  readonly most: NanoUsd
  /** The expected number of tokens, input and output together, where the price depends on it. */
  readonly tokens?: number
  /** The field by which the upstream may read more than the request holds. The most is then all that the model can read. */
  readonly reads?: string
}

/**
 * `none` if the operation or the model has no price. The model is `named`, or else the one in the request. `limit` replaces
 * the request's own limit of the output.
 */
export const estimate = (
  price: Price,
  request: unknown,
  multiplier: Multiplier = one,
  named?: string,
  limit?: number
): Option.Option<Estimate> => {
  const costs = contractOf(price).estimate(price, request, named, limit)
  if (costs === undefined) return Option.none()
  const likely = ceilNano(times(costs.likely, multiplier))
  const most = ceilNano(times(costs.most, multiplier))
  return Option.some({ ...costs, likely, most })
}
