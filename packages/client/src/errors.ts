import { plain } from "@tollgate/contract/errors/ApiError"
import type { Failure, Operation } from "@tollgate/contract/Operation"
import { Charge, Outcome } from "@tollgate/contract/Outcome"
import * as Schema from "effect/Schema"
import type { PaceExceeded } from "./pace/errors.ts"

/** The connection failed or the deadline passed. `outcome` says whether the call may have run. */
export class TransportFailed extends Schema.TaggedError<TransportFailed>()("TransportFailed", {
  operation: Schema.String,
  message: Schema.String,
  outcome: Outcome,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** The status is successful but the content does not fit the operation. It ran and may be charged; the body is kept. */
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

/** The input does not fit the operation, or `beforeRequest` failed with `cause`. Nothing was sent. */
export class InputInvalid extends Schema.TaggedError<InputInvalid>()("InputInvalid", {
  operation: Schema.String,
  message: Schema.String,
  outcome: Schema.Literal("not executed"),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/**
 * It is unknown whether the call ran, and a new call could be charged twice. Sending the same input with `idempotencyKey`
 * returns the outcome of this one instead. `cause` is the last failure.
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

/** The call's maximum price exceeds what `withBudget` has left. Nothing was spent. Amounts are in USD. */
export class BudgetExceeded extends Schema.TaggedError<BudgetExceeded>()("BudgetExceeded", {
  operation: Schema.String,
  message: Schema.String,
  outcome: Schema.Literal("not executed"),
  most: Schema.String,
  left: Schema.String
}) {}

/** The effect that provides the credential failed with `cause`. Nothing was sent. */
export class CredentialUnavailable extends Schema.TaggedError<CredentialUnavailable>()("CredentialUnavailable", {
  operation: Schema.String,
  message: Schema.String,
  outcome: Schema.Literal("not executed"),
  cause: Schema.Defect()
}) {}

/** Errors that the client itself raises, for any operation. */
export type ClientError = TransportFailed | AnswerInvalid | InputInvalid | CredentialUnavailable | PaceExceeded

/** Errors of billed operations, which are those that declare 402. */
type SpendError<O extends Operation> = 402 extends O["errors"][number] ? OutcomeUnknown | BudgetExceeded : never

/** Every error of a call: those the operation declares, and those of the client. */
export type CallError<O extends Operation> = Failure<O> | ClientError | SpendError<O>
