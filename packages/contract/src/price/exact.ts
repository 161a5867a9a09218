import * as Predicate from "effect/Predicate"
import { type BigMicroUsd, divideHalfUp, micro, type NanoUsd, nano } from "../Money.ts"
import type { Multiplier } from "./Amount.ts"

// Amounts are calculated in units of 10^-12 nano-USD, in which price per million tokens times multiplier is an integer,
// and rounded once at the end.
export const perNano = 1_000_000_000_000n
export const whole = (amount: NanoUsd, times: number): bigint => amount * BigInt(times) * 1_000_000n
export const perMillion = (amount: NanoUsd, tokens: number): bigint => amount * BigInt(tokens)

export const times = (exact: bigint, multiplier: Multiplier): bigint => exact * multiplier

// Nine billion USD: more is neither a JSON integer nor, in nano-USD, a 64-bit integer of a store.
const largestMicros = 9_007_199_254_740_991n
const atMost = (amount: bigint, largest: bigint): bigint => (amount < largest ? amount : largest)

export const ceilNano = (exact: bigint): NanoUsd =>
  nano(atMost((exact + perNano - 1n) / perNano, largestMicros * 1000n))
export const nearestNano = (exact: bigint): NanoUsd => nano(atMost(divideHalfUp(exact, perNano), largestMicros * 1000n))
export const nearestMicro = (exact: bigint): BigMicroUsd =>
  micro(atMost(divideHalfUp(exact, perNano * 1000n), largestMicros))

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
