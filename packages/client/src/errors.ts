import { plain } from "@tollgate/contract/errors/ApiError"
import { Charge, Outcome } from "@tollgate/contract/Outcome"
import * as Schema from "effect/Schema"

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

/** What can go wrong on this side, whatever the operation. */
export type ClientError = TransportFailed | AnswerInvalid | InputInvalid
