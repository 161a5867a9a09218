import * as Option from "effect/Option"
import type { NanoUsd } from "../Money.ts"
import { exactDollars } from "./notation.ts"
import * as Predicate from "effect/Predicate"

/** `pending`: no price is published, so an operator must set one before the operation can be billed. */
export type Amount = NanoUsd | "pending"

/** The names of a field and of the objects around it. */
export type FieldPath = ReadonlyArray<string>

/** A factor with up to six decimals, as millionths: 1.45 is 1_450_000n. */
export type Multiplier = bigint
export const one: Multiplier = 1_000_000n

export const parseMultiplier = (text: string): Option.Option<Multiplier> => {
  const match = /^(\d{1,6})(?:\.(\d{1,6}))?$/.exec(text)
  return match === null ? Option.none() : Option.some(BigInt(match[1]! + (match[2] ?? "").padEnd(6, "0")))
}

export const isNothing = (amount: Amount): boolean => amount === 0n

export const inWords = (amount: Amount): string =>
  amount === "pending" ? "an operator-set amount" : exactDollars(amount)

const places = 6

/** A share as a decimal: 0.1. */
export const formatShare = (share: Multiplier): string => {
  const digits = String(share).padStart(places + 1, "0")
  const fraction = digits.slice(-places).replace(/0+$/, "")
  return digits.slice(0, -places) + (fraction === "" ? "" : `.${fraction}`)
}

/** Returns what the value must be, if it is not. */
export type Check = (value: unknown) => string | undefined

/** A field of the request that decides a price, and what it must be. */
export type DecidingField = readonly [path: FieldPath, check?: Check]

export const expecting =
  (what: string, is: Predicate.Predicate<unknown>): Check =>
  (value) =>
    is(value) ? undefined : `must be ${what}`

/** Largest counts keep every estimate exact, and no request that can be answered needs more. */
export const countTo = (most: number, least = 1): Check =>
  expecting(
    `a whole number from ${least} to ${most}`,
    (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most
  )
