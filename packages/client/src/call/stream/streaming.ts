import type { EventOf, Failure, Input, Operation } from "@tollgate/contract/Operation"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { reasonOf } from "../../errors/transportFailed.ts"
import type { StreamOptions } from "../../options/CallOptions.ts"
import { Client } from "../../Client.ts"
import type { BudgetExceeded, ClientError, OutcomeUnknown } from "../../errors/errors.ts"
import { type Invocation, invoke } from "../Invocation.ts"
import type { Terms } from "../memory.ts"
import { type Watch, watchScoped } from "../Watch.ts"
import { isSettled, outcomeUnknown } from "../retrying.ts"
import { decode } from "../../events/sse/decode.ts"
import { type BrokenStream, EventInvalid, StreamTruncated } from "../../events/errors.ts"
import { head } from "./head.ts"
import { limitSilence } from "../../events/limits.ts"
import type { Opened } from "./open.ts"
import type { Completion, Protocol } from "../../events/Protocol.ts"
import { type OnCharge, read } from "../../events/read.ts"
import { progressOf, type Reading } from "../../events/Reading.ts"

/**
 * Before the first event the operation's errors, and `OutcomeUnknown` if the stream may have run; after it the stream errors,
 * which are not retried.
 */
export type StreamError<O extends Operation> = Failure<O> | ClientError | BudgetExceeded | OutcomeUnknown | BrokenStream

/** The events of a body, or the error that ended it too early. */
const eventsOf = (
  body: Opened["body"],
  protocol: Completion,
  idleMillis: number,
  reading: Reading,
  onCharge: OnCharge
) =>
  body.pipe(
    Stream.mapError(
      (error) =>
        new StreamTruncated({
          ...progressOf(reading),
          ...reasonOf(error, reading.hide)
        })
    ),
    limitSilence(reading, idleMillis),
    decode,
    Stream.mapError((error) =>
      error._tag === "EventTooLarge"
        ? new EventInvalid({ ...progressOf(reading), outcome: "executed", message: error.message })
        : error
    ),
    read(protocol, reading, onCharge)
  )

/** Closes the connection of a body that nobody reads: opens it and ends at once. */
const leave = (unread: Opened["body"]) => {
  const left = Stream.transformPull(unread, () => Effect.succeed(Cause.done()))
  return Effect.exit(Stream.runLast(left))
}

/** A stream that broke before its first event may have run. */
const beforeFirst =
  (invocation: Invocation, terms: Terms) =>
  (broken: BrokenStream): BrokenStream | OutcomeUnknown =>
    broken.outcome === "unknown" && !isSettled(broken) ? outcomeUnknown(invocation, terms, broken) : broken

/** Makes the function that streams an operation's events. Leaving the stream closes the connection. */
export const streaming = <O extends Operation>(operation: O, protocol: Protocol) =>
  Object.assign(
    (
      input: Input<O>,
      { onCharge, ...options }: StreamOptions = {}
    ): Stream.Stream<EventOf<O>, StreamError<O>, Client> => {
      const begin = Effect.fnUntraced(function* (invocation: Invocation<O>, watch: Watch | undefined) {
        const { idleMillis, trace } = invocation
        const asked = protocol.input?.(input) ?? input
        const { settle, value } = yield* head(invocation, asked, protocol.query ?? {}, watch)
        const { opened, terms } = value
        const requestId = opened.headers["x-request-id"]
        const { hide } = opened
        const reading: Reading = { operation: invocation.operation.id, requestId, hide, events: 0, state: "open" }
        if (trace !== undefined) trace.reading = reading
        const charged: OnCharge = (charge) =>
          Effect.suspend(() => {
            settle(charge)
            watch?.charged(charge)
            if (trace !== undefined) trace.charge = charge
            return onCharge?.(charge) ?? Effect.void
          })
        const events = Stream.mapError(
          eventsOf(
            Stream.suspend(() => {
              invocation.unread = undefined
              return opened.body
            }),
            protocol,
            idleMillis,
            reading,
            charged
          ),
          beforeFirst(invocation, terms)
        )
        return watch?.events(reading, events) ?? events
      })
      return Stream.unwrap(
        Effect.gen(function* () {
          const client = yield* Client
          const invocation = yield* invoke(client, operation, input, options, true)
          // An interruption between the head and the first read must not leave the connection open.
          yield* Effect.addFinalizer(() => (invocation.unread === undefined ? Effect.void : leave(invocation.unread)))
          const subject = { client, operation: invocation.operation, mode: "stream", input } as const
          return yield* watchScoped(subject, (watch) => begin(invocation, watch))
        })
      )
    },
    /** For `resume`. */
    { streamed: operation }
  )
