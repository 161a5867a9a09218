import { OnCallEnded } from "@tollgate/gateway"
import type { CallEvent } from "@tollgate/gateway/observe/CallEvent"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Keeps the events of a gateway's calls. */
export const recorded = () => {
  const events: Array<CallEvent> = []
  return {
    events,
    layer: Layer.succeed(OnCallEnded, [(event) => void events.push(event)]),
    /** Waits for the event of a call that may end after its answer. */
    next: (count: number): Effect.Effect<CallEvent> =>
      Effect.gen(function* () {
        while (events.length < count) yield* Effect.sleep("2 millis")
        return events[count - 1]!
      })
  }
}
