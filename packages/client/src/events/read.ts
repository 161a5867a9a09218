import type { Charge } from "@tollgate/contract/Outcome"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import type { SseItem } from "./sse/parser.ts"
import { type BrokenStream, StreamTruncated } from "./errors.ts"
import type { Event } from "./Event.ts"
import { interpreter } from "./interpret.ts"
import type { Completion } from "./Protocol.ts"
import { progressOf, type Reading } from "./Reading.ts"

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
