import { TaggedError } from "@tollgate/contract/errors/TaggedError"
import type { Failure, Operation } from "@tollgate/contract/Operation"
import { Charge, Outcome } from "@tollgate/contract/Outcome"
import * as Schema from "effect/Schema"
import type { PaceExceeded } from "./pace/errors.ts"
import type { ResellerError } from "./ResellerFailed.ts"

/** The connection failed or the deadline passed. `outcome` says whether the call may have run. */
export class TransportFailed extends TaggedError<TransportFailed>()("TransportFailed", {
  operation: Schema.String,
  message: Schema.String,
  outcome: Outcome,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** The status is successful but the content does not fit the operation. It ran and may be charged; the body is kept. */
export class AnswerInvalid extends TaggedError<AnswerInvalid>()("AnswerInvalid", {
  operation: Schema.String,
  message: Schema.String,
  status: Schema.Int,
  requestId: Schema.optionalKey(Schema.String),
  outcome: Schema.Literal("executed"),
  charge: Charge,
  headers: Schema.Record(Schema.String, Schema.String),
  body: Schema.String
}) {}

/** The input does not fit the operation, or `beforeRequest` failed with `cause`. Nothing was sent. */
export class InputInvalid extends TaggedError<InputInvalid>()("InputInvalid", {
  operation: Schema.String,
  message: Schema.String,
  outcome: Schema.Literal("not executed"),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/**
 * It is unknown whether the call ran, and a new call could be charged twice. Sending the same input with `idempotencyKey`
 * returns the outcome of this one instead. `cause` is the last failure.
 */
export class OutcomeUnknown extends TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
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
export class BudgetExceeded extends TaggedError<BudgetExceeded>()("BudgetExceeded", {
  operation: Schema.String,
  message: Schema.String,
  outcome: Schema.Literal("not executed"),
  most: Schema.String,
  left: Schema.String
}) {}

/** The effect that provides the credential failed with `cause`. Nothing was sent. */
export class CredentialUnavailable extends TaggedError<CredentialUnavailable>()("CredentialUnavailable", {
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
export type CallError<O extends Operation> = Failure<O> | ResellerError<O> | ClientError | SpendError<O>
