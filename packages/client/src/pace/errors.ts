import { TaggedError } from "@tollgate/contract/errors/TaggedError"
import * as Schema from "effect/Schema"

/** The call would have to wait longer than the client's patience. Nothing was sent. */
export class PaceExceeded extends TaggedError<PaceExceeded>()("PaceExceeded", {
  operation: Schema.String,
  message: Schema.String,
  outcome: Schema.Literal("not executed"),
  /** The earliest time to try again, in milliseconds, as far as is known. Infinite if nothing is allowed at all. */
  retryAfter: Schema.Number
}) {}
