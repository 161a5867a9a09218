import type { PriceRange, PriceText } from "../../exchange/listPrice.ts"

/** Without an exponent, however small. */
export const usd = (amount: number): string => {
  const [whole = "0", fraction = ""] = amount.toFixed(9).split(".")
  const decimals = fraction.replace(/0+$/, "")
  return `$${whole}${decimals === "" ? "" : `.${decimals}`}`
}

const span = ({ from, to }: PriceRange): string => (from === to ? usd(from) : `${usd(from)} – ${usd(to)}`)

const units: ReadonlyArray<readonly [RegExp, string]> = [
  [/^million tokens$/, "1M tokens"],
  [/^item in .*$/, "item"],
  [/^answer whose .*$/, "answer"],
  [/^task that succeeds$/, "task"]
]

const unitOf = (per: string): string => units.find(([pattern]) => pattern.test(per))?.[1] ?? per

/** A price in a few words, for a list. */
export const shortPrice = ({ ranges, state }: PriceText): string => {
  if (state === "free") return "Free"
  const [first, second] = ranges
  if (first === undefined) return "No price yet"
  return second !== undefined
    ? `${span(first)} in, ${span(second)} out / 1M tokens`
    : `${span(first)} / ${unitOf(first.per)}`
}
