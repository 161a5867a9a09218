import * as Schema from "effect/Schema"

/** Micro-USD: a number, or a string of digits if a number would be inexact. */
export const Amount = Schema.Union([Schema.Int, Schema.String.check(Schema.isPattern(/^-?\d+$/u))]).annotate({
  identifier: "Amount",
  description: "Micro-USD: a number, or a string of digits if a number would be inexact."
})
export type Amount = typeof Amount.Type

/** ISO 8601 in UTC. */
export const Time = Schema.String.annotate({ format: "date-time" })
