import * as Schema from "effect/Schema"
import { Amount, Flag, Text, Time } from "../account/Amount.ts"
import * as Api from "../Api.ts"

/** The books recomputed from their rows. */
export const AuditReport = Schema.Struct({
  at: Time,
  took_ms: Schema.Int,
  correct: Flag("`true`: no difference."),
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
  totals: Schema.Record(Schema.String, Amount),
  trail_head: Text(
    "The last entry of the trail with its hash. Keep it elsewhere: a later audit that is given it notices a cut trail."
  )
}).annotate({ identifier: "AuditReport" })
export interface AuditReport extends Schema.Schema.Type<typeof AuditReport> {}

export const TrailHead = Text("What an earlier audit returned: the entry must still be there.").check(
  Schema.isPattern(/^(?:Trail: )?[1-9]\d{0,14}:[0-9a-f]{64}$/, { expected: "the trail head of an earlier audit" })
)

export const AuditRequest = Schema.Struct({ trail_head: Schema.optionalKey(TrailHead) })
export interface AuditRequest extends Schema.Schema.Type<typeof AuditRequest> {}

export const audit = {
  audit: Api.post("/audit", {
    summary: "Recalculates the ledger from its rows",
    role: Api.everybody,
    description: "Requests that come while one runs get its report.",
    body: AuditRequest,
    success: AuditReport,
    replay: "free"
  })
} as const
