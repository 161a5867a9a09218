import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { StreamTimedOut } from "./errors.ts"
import { progressOf, type Reading } from "./Reading.ts"

export interface Limits {
  /** From the request to the end of the stream. */
  readonly deadlineMillis: number
  /** Between two pieces of the answer, a sign of life without an event included. */
  readonly idleMillis: number
}

export const defaultIdleMillis = 30_000

/** What is over has told all but its charge, which is not waited for longer than this. */
const lingerMillis = 2_000

const timedOut = (reading: Reading, limit: "deadline" | "idle", millis: number) =>
  new StreamTimedOut({
    ...progressOf(reading),
    message: limit === "deadline" ? `Not whole within ${millis} ms` : `Nothing came for ${millis} ms`,
    limit,
    millis
  })

/** A limit for each thing that is waited for, counted against the same deadline from now on. */
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
      /** The head of an answer has all the time there is. */
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
