import { plain } from "@tollgate/contract/errors/ApiError"
import { Charge, Outcome } from "@tollgate/contract/Outcome"
import * as Schema from "effect/Schema"

/**
 * What every error of a stream under way carries. A call of which an event has come did run, at least in part, and may
 * have cost: its outcome is `executed`. Before the first event it is `unknown`.
 */
const Progress = {
  operation: Schema.String,
  message: Schema.String,
  requestId: Schema.optionalKey(Schema.String),
  /** How many came before. */
  events: Schema.Int,
  outcome: Outcome
}

/** The other side broke off and said why. */
export class StreamFailed extends Schema.TaggedError<StreamFailed>()("StreamFailed", {
  ...Progress,
  code: Schema.optionalKey(Schema.String),
  type: Schema.optionalKey(Schema.String),
  charge: Charge
}) {
  override toJSON(): unknown {
    return plain(this)
  }
}

/** The answer ended before its last event, or its connection broke; then `cause` says how. */
export class StreamTruncated extends Schema.TaggedError<StreamTruncated>()("StreamTruncated", {
  ...Progress,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** The whole took longer than its `deadline`, or nothing came for as long as `idle` allows. */
export class StreamTimedOut extends Schema.TaggedError<StreamTimedOut>()("StreamTimedOut", {
  ...Progress,
  limit: Schema.Literals(["deadline", "idle"]),
  millis: Schema.Finite
}) {}

/** An event that is no JSON object, or too large to be held. */
export class EventInvalid extends Schema.TaggedError<EventInvalid>()("EventInvalid", {
  ...Progress,
  /** As it arrived; nothing of one that was too large. */
  data: Schema.optionalKey(Schema.String)
}) {}

export type BrokenStream = StreamFailed | StreamTruncated | StreamTimedOut | EventInvalid
