import * as Predicate from "effect/Predicate"
import type { NanoUsd } from "../Money.ts"
import type { Multiplier } from "../price/Price.ts"

// Amounts are calculated in units of 10^-12 nano-USD, in which price per million tokens times multiplier is an integer,
// and rounded once at the end.
export const perNano = 1_000_000_000_000n
export const whole = (amount: NanoUsd, times: number): bigint => amount * BigInt(times) * 1_000_000n
export const perMillion = (amount: NanoUsd, tokens: number): bigint => amount * BigInt(tokens)

export const times = (exact: bigint, multiplier: Multiplier): bigint => exact * multiplier

export const read = (body: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      Predicate.isObject(value) && Object.hasOwn(value, key) ? value[key as keyof typeof value] : undefined,
    body
  )

/** A non-negative integer from an untrusted body. */
export const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined
