import * as Predicate from "effect/Predicate"
import type { FieldPath } from "./Amount.ts"

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
