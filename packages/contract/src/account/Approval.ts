import * as Schema from "effect/Schema"
import * as Api from "../Api.ts"
import { Amount, Flag, Text, TextOrNull, Time } from "./Amount.ts"

/** A call that a person has to approve. */
export const CallApproval = Schema.Struct({
  id: Schema.String,
  grant: Schema.String,
  client_name: Schema.String,
  operation: Schema.String,
  request: Text("The request, in short if it is long."),
  request_shortened: Flag(
    "Whether `request` is not all of it. The page `/account/approvals/{id}` of the gateway shows all."
  ),
  estimate_micros_usd: Amount,
  max_micros_usd: Amount,
  state: Schema.Literals(["waiting", "allowed", "used", "refused", "ended"]).annotate({
    description:
      "`allowed`: the call can be made until `ends_at`. `used`: it was made. `ended`: it was not made, and no longer can be."
  }),
  own: Flag("Whether the asking credential wants to make the call."),
  created_at: Time,
  ends_at: Time,
  decided_at: Schema.NullOr(Time),
  call: TextOrNull("The request id of the call that was made.")
}).annotate({ identifier: "CallApproval" })
export interface CallApproval extends Schema.Schema.Type<typeof CallApproval> {}

export const CallApprovals = Schema.Struct({ approvals: Schema.Array(CallApproval) })
export interface CallApprovals extends Schema.Schema.Type<typeof CallApprovals> {}

export const ApprovalDecision = Schema.Struct({ decision: Schema.Literals(["yes", "no"]) })
export interface ApprovalDecision extends Schema.Schema.Type<typeof ApprovalDecision> {}

export const approvals = {
  approvals: Api.get("/approvals", {
    summary: "The calls waiting for approval, and the last decisions",
    description: "It needs an unlimited key, or the access token of the console.",
    success: CallApprovals,
    scope: "grants"
  }),
  decideApproval: Api.post("/approvals/{id}/decide", {
    summary: "Approves or denies one call. The first decision counts",
    description:
      "It needs what the list of approvals needs. The token of a grant cannot decide on the calls of that grant.",
    body: ApprovalDecision,
    success: CallApproval,
    conflicts: true,
    example: { body: { decision: "yes" } }
  })
} as const
