import * as Schema from "effect/Schema"
import { Amount, Time } from "../account/Amount.ts"
import * as Api from "../Api.ts"

/** What is known of each change that a request made to the configuration. */
export const recorded = {
  id: Schema.String.annotate({ description: "The id of the request that made the change." }),
  at: Time,
  address: Schema.NullOr(Schema.String).annotate({ description: "Where the request came from." }),
  note: Schema.String,
  state: Schema.Literals(["applied", "refused", "begun"]).annotate({
    description: "`begun`: the gateway stopped while it wrote. Each file is the old one or the new one."
  })
}

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
    replay: "free"
  })
} as const
