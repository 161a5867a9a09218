import { formatUsd, nano } from "../Money.ts"
import { contractOf } from "./contracts.ts"
import type { Multiplier, Price } from "./Price.ts"

/** The account and the model that a quote is for. */
interface QuotedFor {
  readonly multiplier?: Multiplier
  readonly model?: string | undefined
}

/** Describes in words how a price is calculated, for anybody or for one account. */
export const basis = (price: Price, { model, multiplier }: QuotedFor = {}): string => {
  const times = multiplier === undefined ? "" : `, times ${formatUsd(nano(multiplier * 1000n))} for this account`
  return contractOf(price).basis(price, times, model)
}
