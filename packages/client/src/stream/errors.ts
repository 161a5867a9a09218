import { plain } from "@tollgate/contract/errors/ApiError"
import { Charge, Outcome } from "@tollgate/contract/Outcome"
import * as Schema from "effect/Schema"

/**
 * Fields of every stream error. After the first event the outcome is `executed`: the call ran at least in part and may be
 * charged. Before it the error is `OutcomeUnknown` instead, unless the gateway said what the call cost.
 */
const Progress = {
  operation: Schema.String,
  message: Schema.String,
  requestId: Schema.optionalKey(Schema.String),
  /** Events received before the error. */
  events: Schema.Int,
  outcome: Outcome
}

/** The stream contained an error event. */
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

/** The stream ended before its last event, or the connection broke with `cause`. */
export class StreamTruncated extends Schema.TaggedError<StreamTruncated>()("StreamTruncated", {
  ...Progress,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** Nothing arrived for the idle timeout. */
export class StreamTimedOut extends Schema.TaggedError<StreamTimedOut>()("StreamTimedOut", {
  ...Progress,
  millis: Schema.Finite
}) {}

/** An event is not a JSON object, or exceeds the size limit. */
export class EventInvalid extends Schema.TaggedError<EventInvalid>()("EventInvalid", {
  ...Progress,
  /** The event's data; missing if it was too large. */
  data: Schema.optionalKey(Schema.String)
}) {}

export type BrokenStream = StreamFailed | StreamTruncated | StreamTimedOut | EventInvalid
