import * as Schema from "effect/Schema"
import { Amount, Time } from "../account/Amount.ts"
import * as Api from "../Api.ts"

/** The books recomputed from their rows. */
export const AuditReport = Schema.Struct({
  at: Time,
  took_ms: Schema.Int,
  correct: Schema.Boolean.annotate({ description: "`true`: no difference." }),
  differences: Schema.Array(
    Schema.Struct({
      table: Schema.String,
      column: Schema.String,
      id: Schema.String,
      stored: Schema.NullOr(Schema.String),
      expected: Schema.NullOr(Schema.String)
    })
  ),
  open: Schema.Int.annotate({ description: "Calls under way." }),
  running: Schema.Int.annotate({ description: "Tasks under way." }),
  unknown: Schema.Int.annotate({ description: "Calls that may or may not have run. They cost nothing." }),
  overdrafts: Schema.Int,
  totals: Schema.Record(Schema.String, Amount)
}).annotate({ identifier: "AuditReport" })
export interface AuditReport extends Schema.Schema.Type<typeof AuditReport> {}

export const audit = {
  audit: Api.post("/audit", {
    summary: "Recalculates the ledger from its rows",
    description: "Requests that come while one runs get its report.",
    body: Api.NoFields,
    success: AuditReport,
    replay: "free",
    example: {}
  })
} as const
