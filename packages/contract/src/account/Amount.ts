import * as Schema from "effect/Schema"
import { safeMicros } from "../Money.ts"

/** Micro-USD: a number, or a string of digits if a number would be inexact. */
export const Amount = Schema.Union([Schema.Int, Schema.String.check(Schema.isPattern(/^-?\d+$/u))]).annotate({
  identifier: "Amount",
  description: "Micro-USD: a number, or a string of digits if a number would be inexact."
})
export type Amount = typeof Amount.Type

export const amountOf = (micros: bigint): Amount => safeMicros(micros) ?? String(micros)

/** ISO 8601 in UTC. */
export const Time = Schema.String.annotate({ format: "date-time" })

/** A billion USD. Sums of such amounts fit the store's integers. */
export const maxMicros = 1_000_000_000_000_000
export const Micros = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: maxMicros }))

/** A time that is sent. */
export const UtcTime = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/u, {
    expected: "a time in UTC, such as 2030-01-31T00:00:00Z"
  })
).annotate({ format: "date-time" })

// The kinds of fields that most answers have, with what they mean.

export const Text = (description: string) => Schema.String.annotate({ description })
export const TextOrNull = (description: string) => Schema.NullOr(Schema.String).annotate({ description })
export const OptionalText = (description: string) => Schema.optionalKey(Schema.String).annotate({ description })
export const Flag = (description: string) => Schema.Boolean.annotate({ description })
