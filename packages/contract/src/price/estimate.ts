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
}

/**
 * `none` if the operation or the model has no price. The model is `named`, or else the one in the request. `limit` replaces
 * the request's own limit of the output. `readsAll`: the upstream may read as much as the model can.
 */
export const estimate = (
  price: Price,
  request: unknown,
  multiplier: Multiplier = one,
  named?: string,
  limit?: number,
  readsAll?: boolean
): Option.Option<Estimate> => {
  const costs = contractOf(price).estimate(price, request, named, limit, readsAll)
  if (costs === undefined) return Option.none()
  const likely = ceilNano(times(costs.likely, multiplier))
  const most = ceilNano(times(costs.most, multiplier))
  return Option.some(costs.tokens === undefined ? { likely, most } : { likely, most, tokens: costs.tokens })
}
