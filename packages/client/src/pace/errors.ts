import * as Schema from "effect/Schema"

/** The call's turn would come later than the client's patience lasts. Nothing was sent. */
export class PaceExceeded extends Schema.TaggedError<PaceExceeded>()("PaceExceeded", {
  operation: Schema.String,
  message: Schema.String,
  outcome: Schema.Literal("not executed"),
  /** Milliseconds until the turn at the earliest, as far as is known; infinite where nothing is allowed at all. */
  retryAfter: Schema.Number
}) {}
