import type { Bound, Failure, Input, Operation } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { whatHappened } from "../broken.ts"
import { boundOf } from "../boundOf.ts"
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
   * What the answer cost, where the gateway tells: after the last event was taken, or an error event. Whoever leaves
   * earlier does not learn it here, and that it is not called means nothing.
   */
  readonly onCharge?: OnCharge
}

/** Before the first event what the operation fails with; from then on how a stream breaks, and no part is tried again. */
export type StreamError<O extends Operation> = Failure<O> | ClientError | BudgetExceeded | BrokenStream

type Limited = Effect.Success<ReturnType<typeof Limits.start>>

/** What the body of an answer says, and each way in which it ends too early. */
const eventsOf = (body: Opened["body"], protocol: Completion, limits: Limited, reading: Reading, onCharge: OnCharge) =>
  body.pipe(
    Stream.mapError(
      (error) =>
        new StreamTruncated({
          ...progressOf(reading),
          message: whatHappened(error),
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

/** Makes the function that answers with events as they arrive. Leaving its stream closes the connection. */
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
        const bound = yield* boundOf(client, operation)
        const subject = { client, operation: bound, mode: "stream", input } as const
        return yield* watchScoped(subject, (watch) => begin(client, bound, watch))
      })
    )
  }
