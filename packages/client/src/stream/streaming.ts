import type { Bound, Failure, Input, Operation } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describeFailure } from "../transportFailed.ts"
import { bindOperation } from "../bindOperation.ts"
import { Client } from "../Client.ts"
import type { BudgetExceeded, ClientError } from "../errors.ts"
import { type Watch, watchScoped } from "../observe/Watch.ts"
import { decode } from "../sse/decode.ts"
import { type BrokenStream, EventInvalid, StreamTruncated } from "./errors.ts"
import type { Event } from "./Event.ts"
import { head } from "./head.ts"
import * as Limits from "./limits.ts"
import type { Opened } from "./open.ts"
import type { Completion, Protocol } from "./Protocol.ts"
import { type OnCharge, read } from "./read.ts"
import { progressOf, type Reading } from "./Reading.ts"

export interface StreamOptions extends Partial<Limits.Limits> {
  /**
   * Called with the charge, if the gateway sends it, after the last event or an error event. It is not called if the stream is
   * left earlier.
   */
  readonly onCharge?: OnCharge
}

/** Before the first event the operation's errors; after it the stream errors, which are not retried. */
export type StreamError<O extends Operation> = Failure<O> | ClientError | BudgetExceeded | BrokenStream

type Limited = Effect.Success<ReturnType<typeof Limits.start>>

/** The events of a body, or the error that ended it too early. */
const eventsOf = (body: Opened["body"], protocol: Completion, limits: Limited, reading: Reading, onCharge: OnCharge) =>
  body.pipe(
    Stream.mapError(
      (error) =>
        new StreamTruncated({
          ...progressOf(reading),
          message: describeFailure(error),
          ...(error.cause === undefined ? {} : { cause: error.cause })
        })
    ),
    limits.body(reading),
    decode,
    Stream.mapError((error) =>
      error._tag === "EventTooLarge" ? new EventInvalid({ ...progressOf(reading), message: error.message }) : error
    ),
    read(protocol, reading, onCharge)
  )

/** Makes the function that streams an operation's events. Leaving the stream closes the connection. */
export const streaming =
  <O extends Operation>(operation: O, protocol: Protocol<Input<O>>) =>
  (input: Input<O>, options: StreamOptions = {}): Stream.Stream<Event, StreamError<O>, Client> => {
    const begin = Effect.fnUntraced(function* (client: Client["Service"], bound: Bound<O>, watch: Watch | undefined) {
      const limits = yield* Limits.start({
        deadlineMillis: options.deadlineMillis ?? client.deadlineMillis,
        idleMillis: options.idleMillis ?? Limits.defaultIdleMillis
      })
      const unread: Reading = { operation: bound.id, requestId: undefined, events: 0, state: "open" }
      const { settle, value } = yield* limits.head(unread)(
        head(client, bound, protocol.input?.(input) ?? input, protocol.query ?? {}, watch)
      )
      const reading: Reading = { ...unread, requestId: value.headers["x-request-id"] }
      const onCharge: OnCharge = (charge) =>
        Effect.suspend(() => {
          settle(charge)
          watch?.charged(charge)
          return options.onCharge?.(charge) ?? Effect.void
        })
      const events = eventsOf(value.body, protocol, limits, reading, onCharge)
      return watch?.events(reading, events) ?? events
    })
    return Stream.unwrap(
      Effect.gen(function* () {
        const client = yield* Client
        const bound = yield* bindOperation(client, operation)
        const subject = { client, operation: bound, mode: "stream", input } as const
        return yield* watchScoped(subject, (watch) => begin(client, bound, watch))
      })
    )
  }
