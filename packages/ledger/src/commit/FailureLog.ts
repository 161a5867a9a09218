import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import * as WriteFailure from "./WriteFailure.ts"

/** Failures come by the thousand when the store is gone. */
const leastMillis = 1_000

/** Logs one failed write a second at most, and one line each when the store is gone and when it is back. */
export const make = Effect.fnUntraced(function* (canBeGone: boolean) {
  const clock = yield* Clock.Clock
  let loggedAt = -leastMillis
  let isGone = false

  const failed = (error: SqlError): Effect.Effect<void> =>
    Effect.suspend(() => {
      const isLost = canBeGone && error.reason._tag === "ConnectionError"
      const now = clock.currentTimeMillisUnsafe()
      if ((isLost && isGone) || Math.abs(now - loggedAt) < leastMillis) return Effect.void
      loggedAt = now
      if (!isLost) return WriteFailure.log(error)
      isGone = true
      return Effect.logError("the store cannot be reached; calls that cost something are refused until it is back")
    })

  const succeeded: Effect.Effect<void> = Effect.suspend(() => {
    if (!isGone) return Effect.void
    isGone = false
    return Effect.logWarning("the store is back")
  })

  return { failed, succeeded }
})
