import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import type { Invocation } from "../Invocation.ts"
import { type Failed, isInFlight, rules } from "./rules.ts"
import { jittered, nominal } from "./wait.ts"

/**
 * The retry schedule of a call. It ends when the rules forbid another attempt, or when retries, patience, time or the retry
 * budget are used up; the call then fails with the last failure.
 */
export const schedule = ({ client, leftMillis, operation, policy }: Invocation, keyed: boolean) =>
  Schedule.fromStep(
    Effect.sync(() => {
      let retried = 0
      let previous = 0
      let waited = 0
      return (_: number, failed: Failed) =>
        Effect.flatMap(Random.nextBetween(0.75, 1.25), (jitter) => {
          if (!rules[operation.replay](failed, keyed)) return Cause.done(retried)
          const waiting = isInFlight(failed)
          if (!waiting && retried >= policy.retries) return Cause.done(retried)
          previous = nominal(policy, previous, failed)
          const millis = jittered(policy, previous, jitter, failed)
          if (waited + millis > policy.patienceMillis || millis >= leftMillis()) return Cause.done(retried)
          // Pacing spaces the repeats of calls that the gateway's limits refused.
          const isPaced = client.pace !== false && failed.code === "rate_limit_exceeded"
          if (!waiting && !isPaced && !client.tokens.take()) return Cause.done(retried)
          if (!waiting) retried += 1
          waited += millis
          return Effect.succeed<[number, Duration.Duration]>([retried, Duration.millis(millis)])
        })
    })
  )
