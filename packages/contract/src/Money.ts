import type * as Brand from "effect/Brand"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** 1 USD = 1,000,000,000 nano-USD. Every amount inside the gateway has this unit. */
export type NanoUsd = Brand.Branded<bigint, "NanoUsd">
/** 1 USD = 1,000,000 micro-USD. Every amount that leaves the gateway is a safe integer of them: up to 9 billion USD. */
export type MicroUsd = number
/** Micro-USD inside the gateway, where sums may exceed what a number holds exactly. */
export type BigMicroUsd = Brand.Branded<bigint, "BigMicroUsd">

export const nano = (amount: bigint): NanoUsd => amount as NanoUsd
export const micro = (amount: bigint): BigMicroUsd => amount as BigMicroUsd

export const zero: NanoUsd = /* @__PURE__ */ nano(0n)

/** `floor(numerator / denominator + 1/2)`: rounds to the nearest integer, halves up. All rounding of money uses it. */
export const divideHalfUp = (numerator: bigint, denominator: bigint): bigint => {
  const doubled = 2n * numerator + denominator
  const quotient = doubled / (2n * denominator)
  return doubled < 0n && quotient * 2n * denominator !== doubled ? quotient - 1n : quotient
}

export const roundToMicros = (amount: NanoUsd): BigMicroUsd => micro(divideHalfUp(amount, 1000n))

/** `undefined` if a number does not hold it exactly. */
export const safeMicros = (amount: bigint): MicroUsd | undefined => {
  const micros = Number(amount)
  return Number.isSafeInteger(micros) ? micros : undefined
}

/** Throws a `RangeError` rather than lose a digit. */
export const toMicros = (amount: NanoUsd): MicroUsd => {
  const micros = safeMicros(roundToMicros(amount))
  if (micros === undefined) throw new RangeError(`${formatUsd(amount)} USD exceed what a number of micro-USD can hold`)
  return micros
}

export const fromMicros = (amount: MicroUsd | BigMicroUsd): NanoUsd => nano(BigInt(amount) * 1000n)

/** Micro-USD as digits, such as in a header. */
export const parseMicros = (digits: string | undefined): MicroUsd | undefined =>
  digits !== undefined && /^\d{1,16}$/.test(digits) ? safeMicros(BigInt(digits)) : undefined

/** What calls cost, and what is left. `maxPrice` and budgets take it as it is. */
export type Amount = {
  /** Decimal USD: `"0.000724"`. */
  readonly usd: string
  /** The same in micro-USD: 724. */
  readonly micros: MicroUsd
}

/** An amount that a caller sets: decimal USD, such as `"0.05"`, or `{ micros: 50_000 }`. */
export type Usd = string | Pick<Amount, "micros">

export const amountOf = (micros: MicroUsd): Amount => ({ usd: formatUsd(fromMicros(micros)), micros })

const decimal = /^(\d{1,12})(?:\.(\d{1,9}))?$/

/** Parses a decimal amount of USD exactly. Rejects more than nine decimals, signs, exponents and spaces. */
export const parseUsd = (text: string): Option.Option<NanoUsd> => {
  const match = decimal.exec(text)
  return match === null
    ? Option.none()
    : Option.some(nano(BigInt(match[1]!) * 1_000_000_000n + BigInt((match[2] ?? "").padEnd(9, "0"))))
}

/** Parses an amount that a caller set, who may have no types. */
export const parseAmount = (amount: Usd): Option.Option<NanoUsd> => {
  if (typeof amount === "string") return parseUsd(amount)
  const micros = parseMicros(String((amount as Amount | null)?.micros))
  return micros === undefined ? Option.none() : Option.some(fromMicros(micros))
}

/** For literal amounts in source code: throws if the text is not an amount. */
export const usd = (text: string): NanoUsd => Option.getOrThrow(parseUsd(text))

/** The shortest decimal; `parseUsd` reads it back unless it is negative. */
export const formatUsd = (amount: NanoUsd): string => {
  const magnitude = amount < 0n ? -amount : amount
  const fraction = (magnitude % 1_000_000_000n).toString().padStart(9, "0").replace(/0+$/, "")
  return `${amount < 0n ? "-" : ""}${magnitude / 1_000_000_000n}${fraction === "" ? "" : `.${fraction}`}`
}

/** Micro-USD as a JSON integer. A number that is no safe integer is refused. */
export const MicroUsd = Schema.Int.annotate({ title: "Micro-USD", format: "int64" })
