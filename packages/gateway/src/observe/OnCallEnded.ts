import * as Context from "effect/Context"
import type { CallEvent } from "./CallEvent.ts"

/** Runs in the call's own step, so it has to be quick. What it throws is discarded. */
export type CallListener = (event: CallEvent) => void

/** Who is told of each call that ended. While the list is empty, no event is made. */
export const OnCallEnded = Context.Reference<ReadonlyArray<CallListener>>("@tollgate/gateway/OnCallEnded", {
  defaultValue: () => []
})

/** Passes an event on. A listener that fails does not affect the call or the other listeners. */
export const tell = (listeners: ReadonlyArray<CallListener>, event: CallEvent): void => {
  for (const listener of listeners) {
    try {
      listener(event)
    } catch {
      // The call has ended: nobody could act on it.
    }
  }
}
