import * as Predicate from "effect/Predicate"
import { type BigMicroUsd, divideHalfUp, micro, nano, type NanoUsd } from "../Money.ts"

/** A decimal number as an integer of `10 ** -scale`. */
interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

const pattern = /^(\d{1,12})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/

/** Parses a JSON number, or the same in text, exactly. `undefined`: it is negative, too large or not a number. */
export const parseDecimal = (text: string): Decimal | undefined => {
  const match = pattern.exec(text)
  if (match === null) return undefined
  const [, whole = "", fraction = "", exponent = "0"] = match
  const scale = fraction.length - Number(exponent)
  const digits = BigInt(whole + fraction)
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 }
}

// Amounts are calculated in units of 10^-12 nano-USD, in which price per million tokens times multiplier is an integer,
// and rounded once at the end.
export const perNano = 1_000_000_000_000n
export const whole = (amount: NanoUsd, times: number): bigint => amount * BigInt(times) * 1_000_000n
export const perMillion = (amount: NanoUsd, tokens: number): bigint => amount * BigInt(tokens)

// Nine billion USD: more is neither a JSON integer nor, in nano-USD, a 64-bit integer of a store.
const largestMicros = micro(9_007_199_254_740_991n)
const largestNano = nano(largestMicros * 1000n)

export const ceilNano = (exact: bigint): NanoUsd => {
  const amount = (exact + perNano - 1n) / perNano
  return amount < largestNano ? nano(amount) : largestNano
}
export const nearestNano = (exact: bigint): NanoUsd => {
  const amount = divideHalfUp(exact, perNano)
  return amount < largestNano ? nano(amount) : largestNano
}
export const nearestMicro = (exact: bigint): BigMicroUsd => {
  const amount = divideHalfUp(exact, perNano * 1000n)
  return amount < largestMicros ? micro(amount) : largestMicros
}

export const read = (body: unknown, path: ReadonlyArray<string>): unknown => {
  let value = body
  for (const key of path) {
    if (!Predicate.isObject(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key as keyof typeof value]
  }
  return value
}

/** A non-negative integer from an untrusted body. */
export const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined
