import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { StreamTimedOut } from "./errors.ts"
import { progressOf, type Reading } from "./Reading.ts"

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
