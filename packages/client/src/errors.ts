import { plain } from "@tollgate/contract/errors/ApiError"
import type { Failure, Operation } from "@tollgate/contract/Operation"
import { Charge, Outcome } from "@tollgate/contract/Outcome"
import * as Schema from "effect/Schema"
import type { PaceExceeded } from "./pace/errors.ts"

/** The connection failed, or the deadline passed. `outcome` says whether the call can have run. */
export class TransportFailed extends Schema.TaggedError<TransportFailed>()("TransportFailed", {
  operation: Schema.String,
  message: Schema.String,
  outcome: Outcome,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** A successful status whose content is not what the operation answers. It ran, and may have cost; the body is kept. */
export class AnswerInvalid extends Schema.TaggedError<AnswerInvalid>()("AnswerInvalid", {
  operation: Schema.String,
  message: Schema.String,
  status: Schema.Int,
  requestId: Schema.optionalKey(Schema.String),
  outcome: Schema.Literal("executed"),
  charge: Charge,
  headers: Schema.Record(Schema.String, Schema.String),
  body: Schema.String
}) {
  override toJSON(): unknown {
    return plain(this)
  }
}

/** The input does not fit the operation. Nothing was sent. */
export class InputInvalid extends Schema.TaggedError<InputInvalid>()("InputInvalid", {
  operation: Schema.String,
  message: Schema.String,
  outcome: Schema.Literal("not executed")
}) {}

/**
 * Nobody knows whether the call ran, and to send it as a new one could pay twice. The same input under
 * `idempotencyKey` asks for its end without making another; `cause` is the failure that was seen last.
 */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  operation: Schema.String,
  message: Schema.String,
  outcome: Schema.Literal("unknown"),
  idempotencyKey: Schema.optionalKey(Schema.String),
  status: Schema.optionalKey(Schema.Int),
  code: Schema.optionalKey(Schema.String),
  requestId: Schema.optionalKey(Schema.String),
  cause: Schema.Defect()
}) {}

/** The most that the call can cost is more than `withBudget` has left. Nothing was spent. Amounts are in USD. */
export class BudgetExceeded extends Schema.TaggedError<BudgetExceeded>()("BudgetExceeded", {
  operation: Schema.String,
  message: Schema.String,
  outcome: Schema.Literal("not executed"),
  most: Schema.String,
  left: Schema.String
}) {}

/** The effect that the credential comes from failed; `cause` says how. Nothing was sent. */
export class CredentialUnavailable extends Schema.TaggedError<CredentialUnavailable>()("CredentialUnavailable", {
  operation: Schema.String,
  message: Schema.String,
  outcome: Schema.Literal("not executed"),
  cause: Schema.Defect()
}) {}

/** What can go wrong on this side, whatever the operation. */
export type ClientError = TransportFailed | AnswerInvalid | InputInvalid | CredentialUnavailable | PaceExceeded

/** … and where the operation costs something, which is to say that it declares 402. */
type SpendError<O extends Operation> = 402 extends O["errors"][number] ? OutcomeUnknown | BudgetExceeded : never

/** What a call of an operation can fail with: what its server declares, and what can go wrong on this side. */
export type CallError<O extends Operation> = Failure<O> | ClientError | SpendError<O>
