import { type NanoUsd, nano } from "../Money.ts"
import { read } from "../internal/exact.ts"
import type { Fixed, Price, PriceOf, Variant } from "./Price.ts"

type FixedPrice = PriceOf<"per_request" | "per_task">

/** More than anybody asks for. The gateway refuses a larger count. */
export const largestCount = 1_000_000

const isLeftOut = (value: unknown): boolean => value === undefined || value === null

const countIn = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value > 0 && value <= largestCount ? value : undefined

const fits = ({ where }: Variant, request: unknown): boolean =>
  where.every(({ field, values }) => {
    const value = read(request, field)
    return values.some((wanted) => (wanted === null ? isLeftOut(value) : wanted === value))
  })

/** A value that no variant lists costs the most. */
const eachOf = ({ amount, variants = [] }: Fixed, request: unknown): NanoUsd | "pending" => {
  const fitting = variants.find((variant) => fits(variant, request))
  if (fitting !== undefined) return fitting.amount
  const amounts = [...variants.map((variant) => variant.amount), ...(amount === "pending" ? [] : [amount])]
  return amounts.length === 0 ? "pending" : amounts.reduce((a, b) => (a > b ? a : b))
}

const isFixed = (price: Price): price is FixedPrice => price.contract === "per_request" || price.contract === "per_task"

/** The price for this request: a fixed amount that depends on its fields becomes one that does not. */
export const resolve = (price: Price, request: unknown): Price => {
  if (!isFixed(price) || (price.times === undefined && price.variants === undefined)) return price
  const { contract, times } = price
  const each = eachOf(price, request)
  if (each === "pending") return { contract, amount: each }
  const count = times === undefined ? 1 : (countIn(read(request, times.field)) ?? times.otherwise)
  const unit = times === undefined ? {} : { unit: times.unit }
  return { contract, amount: nano(each * BigInt(count)), resolved: { each, count, ...unit } }
}
