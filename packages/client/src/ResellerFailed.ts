import { TaggedError } from "@tollgate/contract/errors/TaggedError"
import type { Operation } from "@tollgate/contract/Operation"
import { Charge } from "@tollgate/contract/Outcome"
import { ResellerEnvelope } from "@tollgate/contract/resources/ResellerEnvelope"
import * as Schema from "effect/Schema"

/** The status is 200, but the reseller's own `code` in the body is another: the call ran and has no result. */
export class ResellerFailed extends TaggedError<ResellerFailed>()("ResellerFailed", {
  operation: Schema.String,
  /** The reseller's, if it sent one. */
  message: Schema.String,
  status: Schema.Int,
  /** The reseller's code, such as `"400"`. */
  code: Schema.String,
  requestId: Schema.optionalKey(Schema.String),
  outcome: Schema.Literal("executed"),
  charge: Charge,
  /** The whole body. */
  envelope: ResellerEnvelope
}) {}

/** `ResellerFailed`, for operations that a reseller answers. */
export type ResellerError<O extends Operation> = O["success"] extends typeof ResellerEnvelope ? ResellerFailed : never
