import type { Charge } from "@tollgate/contract/Outcome"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import type { SseItem } from "./sse/parser.ts"
import { type BrokenStream, StreamTimedOut, StreamTruncated } from "./errors.ts"
import { type Event, progressOf, type Reading } from "./Event.ts"
import { interpreter } from "./interpret.ts"
import type { Completion } from "./Protocol.ts"

/** How to learn what a stream cost that did not reach its charge. */
export const askCost = (requestId: string | undefined): string =>
  `it may be charged${requestId === undefined ? "" : ": `charge` tells by its requestId what it cost"}`

/** After the last event only the charge can follow; this is how long to wait for it. */
const lingerMillis = 2_000

/** Fails if nothing arrives for this long. Keep-alive comments count. */
export const limitSilence =
  (reading: Reading, idleMillis: number) =>
  <A, E, R>(body: Stream.Stream<A, E, R>): Stream.Stream<A, E | StreamTimedOut, R> =>
    Stream.transformPull(body, (pull) =>
      Effect.succeed(
        Effect.suspend(() => {
          const millis = reading.state === "over" ? Math.min(lingerMillis, idleMillis) : idleMillis
          return Effect.timeoutOrElse(pull, {
            duration: millis,
            orElse: () =>
              Effect.fail(
                new StreamTimedOut({ ...progressOf(reading), message: `Nothing arrived for ${millis} ms`, millis })
              )
          })
        })
      )
    )

export type OnCharge = (charge: Charge) => Effect.Effect<void>

/** Emits the events of a stream, and fails after the last one if the stream is not complete. */
export const read =
  (protocol: Completion, reading: Reading, onCharge: OnCharge) =>
  (items: Stream.Stream<SseItem, BrokenStream>): Stream.Stream<Event, BrokenStream> =>
    Stream.transformPull(items, (pull) =>
      Effect.sync(() => {
        const { charge, error, events, isOver } = interpreter(protocol, reading)

        const end: Pull.Pull<never, BrokenStream> = Effect.suspend(() => {
          const told = charge().state === "unknown" ? Effect.void : onCharge(charge())
          const truncated = () =>
            new StreamTruncated({ ...progressOf(reading), message: "The stream ended before its last event" })
          const broken = error() ?? (reading.state === "open" ? truncated() : undefined)
          const last: Pull.Pull<never, BrokenStream> = broken === undefined ? Cause.done() : Effect.fail(broken)
          return Effect.andThen(told, last)
        })

        const next: Pull.Pull<Arr.NonEmptyReadonlyArray<Event>, BrokenStream> = Effect.suspend(() =>
          isOver()
            ? end
            : Pull.matchEffect(pull, {
                onSuccess: (items) => {
                  const some = events(items)
                  return Arr.isArrayNonEmpty(some) ? Effect.succeed(some) : next
                },
                onFailure: (cause: Cause.Cause<BrokenStream>) =>
                  reading.state !== "open" && cause.reasons.every(Cause.isFailReason) ? end : Effect.failCause(cause),
                onDone: () => end
              })
        )
        return next
      })
    )
