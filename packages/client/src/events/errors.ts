import { TaggedError } from "@tollgate/contract/errors/TaggedError"
import type { Charge, Outcome } from "@tollgate/contract/Outcome"

/**
 * Fields of every stream error. After the first event the outcome is `executed`: the call ran at least in part and may be
 * charged. Before it the error is `OutcomeUnknown` instead, unless the gateway said what the call cost.
 */
interface Progress {
  readonly operation: string
  readonly message: string
  readonly requestId?: string
  /** Events received before the error. */
  readonly events: number
  readonly outcome: Outcome
  /** `resume` asks under it what became of the call. */
  readonly idempotencyKey?: string
}

/** The stream contained an error event. */
export class StreamFailed extends TaggedError("StreamFailed")<
  Progress & {
    readonly code?: string
    readonly type?: string
    readonly charge: Charge
  }
> {}

/** The stream ended before its last event, or the connection broke with `cause`. */
export class StreamTruncated extends TaggedError("StreamTruncated")<
  Progress & {
    readonly cause?: unknown
  }
> {}

/** Nothing arrived for the idle timeout. */
export class StreamTimedOut extends TaggedError("StreamTimedOut")<
  Progress & {
    readonly millis: number
  }
> {}

/** An event is not a JSON object, or exceeds the size limit. */
export class EventInvalid extends TaggedError("EventInvalid")<
  Progress & {
    /** The event's data; missing if it was too large. */
    readonly data?: string
  }
> {}

export type BrokenStream = StreamFailed | StreamTruncated | StreamTimedOut | EventInvalid
