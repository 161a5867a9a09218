import * as Effect from "effect/Effect"
import { calls } from "../models.ts"

/** Waits until this many calls have ended: their caller may leave earlier. Dies if there are more. */
export const endedCalls = Effect.fnUntraced(function* (count: number) {
  for (;;) {
    const all = yield* calls
    if (all.length > count) return yield* Effect.die(new Error(`${all.length} calls instead of ${count}`))
    if (all.length === count && all.every(({ state }) => !["open", "running"].includes(state))) return all
    yield* Effect.sleep("5 millis")
  }
})
