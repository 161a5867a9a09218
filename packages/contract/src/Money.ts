import type * as Brand from "effect/Brand"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Transformation from "effect/SchemaTransformation"

/** 1 USD = 1,000,000,000 nano-USD. Every amount inside the gateway has this unit. */
export type NanoUsd = Brand.Branded<bigint, "NanoUsd">
/** 1 USD = 1,000,000 micro-USD. Every amount that leaves the gateway has this unit. */
export type MicroUsd = Brand.Branded<bigint, "MicroUsd">

export const nano = (amount: bigint): NanoUsd => amount as NanoUsd
export const micro = (amount: bigint): MicroUsd => amount as MicroUsd

export const zero: NanoUsd = nano(0n)

/** `floor(numerator / denominator + 1/2)`: rounds to the nearest integer, halves up. All rounding of money uses it. */
export const divideHalfUp = (numerator: bigint, denominator: bigint): bigint => {
  const doubled = 2n * numerator + denominator
  const quotient = doubled / (2n * denominator)
  return doubled < 0n && quotient * 2n * denominator !== doubled ? quotient - 1n : quotient
}

export const toMicros = (amount: NanoUsd): MicroUsd => micro(divideHalfUp(amount, 1000n))
export const fromMicros = (amount: MicroUsd): NanoUsd => nano(amount * 1000n)

const decimal = /^(\d{1,12})(?:\.(\d{1,9}))?$/

/** Parses a decimal amount of USD exactly. Rejects more than nine decimals, signs, exponents and spaces. */
export const parseUsd = (text: string): Option.Option<NanoUsd> => {
  const match = decimal.exec(text)
  return match === null
    ? Option.none()
    : Option.some(nano(BigInt(match[1]!) * 1_000_000_000n + BigInt((match[2] ?? "").padEnd(9, "0"))))
}

/** For literal amounts in source code: throws if the text is not an amount. */
export const usd = (text: string): NanoUsd => Option.getOrThrow(parseUsd(text))

/** The shortest decimal; `parseUsd` reads it back unless it is negative. */
export const formatUsd = (amount: NanoUsd): string => {
  const magnitude = amount < 0n ? -amount : amount
  const fraction = (magnitude % 1_000_000_000n).toString().padStart(9, "0").replace(/0+$/, "")
  return `${amount < 0n ? "-" : ""}${magnitude / 1_000_000_000n}${fraction === "" ? "" : `.${fraction}`}`
}

const isMicroUsd = (u: unknown): u is MicroUsd => typeof u === "bigint"

/** Micro-USD as a JSON integer on the wire. */
export const MicroUsd = Schema.Int.annotate({ title: "Micro-USD", format: "int64" }).pipe(
  Schema.decodeTo(
    Schema.declare(isMicroUsd, { expected: "micro-USD as a bigint" }),
    Transformation.transform({ decode: (n) => micro(BigInt(n)), encode: Number })
  )
)
