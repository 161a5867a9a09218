import { formatUsd, type NanoUsd } from "../Money.ts"

/** From the lowest to the highest amount, in USD, that one unit costs. */
export interface PriceRange {
  readonly per: string
  readonly from: number
  readonly to: number
}

/** A whole number has no decimals, any other two at least: `$4`, `$0.10`. */
const written = (whole: string, fraction: string): string => {
  const decimals = fraction.replace(/0+$/, "")
  return `$${whole}${decimals === "" ? "" : `.${decimals.padEnd(2, "0")}`}`
}

/** An exact amount: `$0.05`. */
export const exactDollars = (amount: NanoUsd): string => {
  const [whole = "0", fraction = ""] = formatUsd(amount).split(".")
  return written(whole, fraction)
}

/** Without an exponent, however small. */
export const dollars = (usd: number): string => {
  const [whole = "0", fraction = ""] = usd.toFixed(9).split(".")
  return written(whole, fraction)
}

const span = ({ from, to }: PriceRange): string => (from === to ? dollars(from) : `${dollars(from)} – ${dollars(to)}`)

const units: ReadonlyArray<readonly [RegExp, string]> = [
  [/^million (.*)$/, "1M $1"],
  [/^(.+?) in [\w.]+$/, "$1"],
  [/^answer whose .*$/, "answer"],
  [/^task that succeeds$/, "task"]
]

const unitOf = (per: string): string => {
  const known = units.find(([pattern]) => pattern.test(per))
  return known === undefined ? per : per.replace(...known)
}

/** Prices as they are written everywhere: `$1 in, $4 out / 1M tokens`, `$0.002 / search unit`. */
export const pricesInShort = (ranges: ReadonlyArray<PriceRange>): string => {
  const [first, second, ...others] = ranges
  if (first?.per === "million input tokens" && second?.per === "million output tokens" && others.length === 0) {
    return `${span(first)} in, ${span(second)} out / 1M tokens`
  }
  return ranges.map((range) => `${span(range)} / ${unitOf(range.per)}`).join(" and ")
}
