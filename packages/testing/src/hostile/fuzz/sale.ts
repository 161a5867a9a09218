import { usd } from "@tollgate/contract/Money"
import type { Price } from "@tollgate/contract/price/Price"
import * as fc from "fast-check"
import { type Answer, fieldOf, isFailing, type Kind, parsedOf, type Written } from "./answer.ts"

// What an operation costs, written a second time, by the documents alone. Nothing here uses the gateway's own arithmetic.

/** An operation's price. `each`, `other` and `most` are nano-USD, `factor` is in millionths. */
export interface Sale {
  readonly kind: Kind
  readonly each: bigint
  readonly other: bigint
  readonly factor: bigint
  readonly most: number
}

export const saleOf = (kind: Kind): fc.Arbitrary<Sale> =>
  fc.record({
    kind: fc.constant(kind),
    // Half a micro-USD is charged, as one.
    each: fc.bigInt({ min: 500n, max: 5_000_000n }),
    other: fc.bigInt({ min: 500n, max: 5_000_000n }),
    factor: fc.bigInt({ min: 10_000n, max: 3_000_000n }),
    most: fc.integer({ min: 1, max: 9 })
  })

const text = (nano: bigint): string => {
  const digits = String(nano).padStart(10, "0")
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`
}

const otherwise = 2

/** The price as the operation has it. */
export const priceOf = ({ each, factor, kind, most, other }: Sale): Price => {
  const amount = usd(text(each))
  switch (kind) {
    case "free":
      return { contract: "free" }
    case "call":
      return { contract: "per_request", amount }
    case "times":
      return { contract: "per_request", amount, times: { field: ["n"], unit: "image", otherwise } }
    case "variants":
      return {
        contract: "per_request",
        amount,
        variants: [{ amount: usd(text(other)), where: [{ field: ["n"], values: [1, null] }] }]
      }
    case "items":
      return { contract: "response_count", perItem: amount, items: fieldOf(kind)[0] ?? "", most }
    case "units":
      return { contract: "answer_field", perUnit: amount, field: fieldOf(kind), most }
    case "cost":
      return { contract: "reported_cost", cost: { field: fieldOf(kind) }, factor, most: amount }
  }
}

/** What a caller may write in the field `n`, which decides the price of some operations. */
export const asked = fc.oneof(
  fc.constantFrom(undefined, null, 1, 1_000_000),
  fc.integer({ min: 1, max: 20 }),
  fc.constantFrom<unknown>(0, -1, 1.5, 1_000_001, "2", true, [], {})
)

/** Whether the price can be told from this request. If not, the caller gets 400. */
export const isPriced = ({ kind }: Sale, n: unknown): boolean => {
  if (n === undefined || n === null) return true
  if (kind === "times") return typeof n === "number" && Number.isInteger(n) && n >= 1 && n <= 1_000_000
  if (kind === "variants") return typeof n === "string" || typeof n === "boolean" || (typeof n === "number" && n > 0)
  return true
}

const halfUp = (amount: bigint, unit: bigint): bigint => (2n * amount + unit) / (2n * unit)
const micros = (nano: bigint): number => Number(halfUp(nano, 1_000n))

/** Nano-USD of a call whose price depends on the request alone. */
const fixedNano = ({ each, kind, other }: Sale, n: unknown): bigint => {
  if (kind === "times") return each * BigInt(typeof n === "number" ? n : otherwise)
  if (kind === "variants") return n === undefined || n === null || n === 1 || other > each ? other : each
  return each
}

/** What a quote tells, in micro-USD. */
export const quotedMicros = (sale: Sale, n: unknown): { readonly likely: number; readonly most: number } => {
  const { each, kind, most } = sale
  if (kind === "free") return { likely: 0, most: 0 }
  if (kind === "items" || kind === "units") return { likely: micros(each), most: micros(each * BigInt(most)) }
  const fixed = micros(fixedNano(sale, n))
  return { likely: fixed, most: fixed }
}

const decimal = /^(\d{1,12})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/

/** Micro-USD of a cost that was reported in these digits. */
const reportedMicros = ({ factor }: Sale, [first, second]: Written): number | undefined => {
  const written = [first, second].flatMap((one) =>
    one === undefined || one === "null" ? [] : [one.replaceAll('"', "")]
  )
  const match = decimal.exec(written[0] ?? "")
  if (match === null || (written[1] !== undefined && written[1] !== written[0])) return undefined
  const [, whole = "", fraction = "", exponent = "0"] = match
  const scale = 10n ** BigInt(Math.max(0, fraction.length - Number(exponent)))
  const digits = BigInt(whole + fraction) * 10n ** BigInt(Math.max(0, Number(exponent) - fraction.length))
  // The factor is in millionths, and so are micro-USD: a whole USD times one is a million.
  return digits > 1_000_000n * scale ? undefined : Number(halfUp(digits * factor, scale))
}

/**
 * Micro-USD that an answer with a status of success proves. 0: it is delivered free. Undefined: it proves nothing, so that it is
 * neither delivered nor charged.
 */
export const provenMicros = (sale: Sale, n: unknown, answer: Answer): number | undefined => {
  const { each, kind } = sale
  if (kind === "free") return 0
  const parsed = parsedOf(answer)
  const isFixed = kind === "call" || kind === "times" || kind === "variants"
  if (answer.status === 204) return isFixed ? micros(fixedNano(sale, n)) : undefined
  if (parsed === undefined) return undefined
  if (Object(parsed.value).success === false) return 0
  if (isFailing(parsed.value)) return undefined
  if (isFixed) return micros(fixedNano(sale, n))
  const field = fieldOf(kind).reduce<unknown>((value, name) => Object(value)[name], parsed.value)
  if (kind === "items") return Array.isArray(field) ? micros(each * BigInt(field.length)) : undefined
  if (kind === "cost") return field === undefined ? undefined : reportedMicros(sale, answer.written)
  return typeof field === "number" && Number.isInteger(field) && field >= 0 && field <= 1_000_000_000
    ? micros(each * BigInt(field))
    : undefined
}
