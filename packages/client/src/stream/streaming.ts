import type { EventOf, Failure, Input, Operation } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describeFailure } from "../transportFailed.ts"
import type { StreamOptions } from "../CallOptions.ts"
import { Client } from "../Client.ts"
import type { BudgetExceeded, ClientError } from "../errors.ts"
import { type Invocation, invoke } from "../Invocation.ts"
import { type Watch, watchScoped } from "../observe/Watch.ts"
import { decode } from "../sse/decode.ts"
import { type BrokenStream, EventInvalid, StreamTruncated } from "./errors.ts"
import { head } from "./head.ts"
import { limitSilence } from "./limits.ts"
import type { Opened } from "./open.ts"
import type { Completion, Protocol } from "./Protocol.ts"
import { type OnCharge, read } from "./read.ts"
import { progressOf, type Reading } from "./Reading.ts"

/** Before the first event the operation's errors; after it the stream errors, which are not retried. */
export type StreamError<O extends Operation> = Failure<O> | ClientError | BudgetExceeded | BrokenStream

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
          message: describeFailure(error),
          ...(error.cause === undefined ? {} : { cause: error.cause })
        })
    ),
    limitSilence(reading, idleMillis),
    decode,
    Stream.mapError((error) =>
      error._tag === "EventTooLarge" ? new EventInvalid({ ...progressOf(reading), message: error.message }) : error
    ),
    read(protocol, reading, onCharge)
  )

/** Makes the function that streams an operation's events. Leaving the stream closes the connection. */
export const streaming =
  <O extends Operation>(operation: O, protocol: Protocol) =>
  (
    input: Input<O>,
    { onCharge, ...options }: StreamOptions = {}
  ): Stream.Stream<EventOf<O>, StreamError<O>, Client> => {
    const begin = Effect.fnUntraced(function* (invocation: Invocation<O>, watch: Watch | undefined) {
      const { settle, value } = yield* head(invocation, protocol.input?.(input) ?? input, protocol.query ?? {}, watch)
      const requestId = value.headers["x-request-id"]
      const reading: Reading = { operation: invocation.operation.id, requestId, events: 0, state: "open" }
      const charged: OnCharge = (charge) =>
        Effect.suspend(() => {
          settle(charge)
          watch?.charged(charge)
          return onCharge?.(charge) ?? Effect.void
        })
      const events = eventsOf(value.body, protocol, invocation.idleMillis, reading, charged)
      return watch?.events(reading, events) ?? events
    })
    return Stream.unwrap(
      Effect.gen(function* () {
        const client = yield* Client
        const invocation = yield* invoke(client, operation, options)
        const subject = { client, operation: invocation.operation, mode: "stream", input } as const
        return yield* watchScoped(subject, (watch) => begin(invocation, watch))
      })
    )
  }
