import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { StreamTimedOut } from "./errors.ts"
import { progressOf, type Reading } from "./Reading.ts"

export interface Limits {
  /** From the request to the end of the stream. */
  readonly deadlineMillis: number
  /** Between two chunks of the answer; keep-alive comments count. */
  readonly idleMillis: number
}

export const defaultIdleMillis = 30_000

/** After the last event only the charge can follow; this is how long to wait for it. */
const lingerMillis = 2_000

const timedOut = (reading: Reading, limit: "deadline" | "idle", millis: number) =>
  new StreamTimedOut({
    ...progressOf(reading),
    message:
      limit === "deadline" ? `The stream was not complete within ${millis} ms` : `Nothing arrived for ${millis} ms`,
    limit,
    millis
  })

/** Starts the deadline and returns the time limits for head and body. */
export const start = (limits: Limits) =>
  Effect.map(Clock.currentTimeMillis, (started) => {
    const within =
      (reading: Reading, idleMillis: number) =>
      <A, E, R>(wait: Effect.Effect<A, E, R>): Effect.Effect<A, E | StreamTimedOut, R> =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const left = started + limits.deadlineMillis - now
          const isLast = left <= idleMillis
          return Effect.timeoutOrElse(wait, {
            duration: Math.max(0, isLast ? left : idleMillis),
            orElse: () =>
              Effect.fail(
                isLast ? timedOut(reading, "deadline", limits.deadlineMillis) : timedOut(reading, "idle", idleMillis)
              )
          })
        })
    return {
      /** The head is limited by the deadline only. */
      head: (reading: Reading) => within(reading, Number.POSITIVE_INFINITY),
      body:
        (reading: Reading) =>
        <A, E, R>(body: Stream.Stream<A, E, R>): Stream.Stream<A, E | StreamTimedOut, R> =>
          Stream.transformPull(body, (pull) =>
            Effect.succeed(
              Effect.suspend(() =>
                within(
                  reading,
                  reading.state === "over" ? Math.min(lingerMillis, limits.idleMillis) : limits.idleMillis
                )(pull)
              )
            )
          )
    }
  })
