import type { Replay } from "@tollgate/contract/Operation"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import type { Policy } from "./Policy.ts"
import { type Failed, isInFlight, rules } from "./rules.ts"
import type { Tokens } from "./Tokens.ts"
import { jittered, nominal } from "./wait.ts"

interface Options {
  readonly policy: Policy
  readonly tokens: Tokens
  readonly replay: Replay
  readonly keyed: boolean
}

/**
 * The retry schedule of a call that starts now. It ends when the rules forbid another attempt, or when attempts, patience or
 * the retry budget are used up; the call then fails with the last failure.
 */
export const schedule = ({ keyed, policy, replay, tokens }: Options) =>
  Effect.map(Clock.currentTimeMillis, (startedAt) =>
    Schedule.fromStep(
      Effect.sync(() => {
        let attempts = 1
        let previous = 0
        return (now: number, failed: Failed) =>
          Effect.flatMap(Random.nextBetween(0.75, 1.25), (jitter) => {
            if (!rules[replay](failed, keyed)) return Cause.done(attempts)
            const waiting = isInFlight(failed)
            if (!waiting && attempts >= policy.attempts) return Cause.done(attempts)
            previous = nominal(policy, previous, failed)
            const millis = jittered(policy, previous, jitter, failed)
            if (now - startedAt + millis > policy.patienceMillis) return Cause.done(attempts)
            if (!waiting && !tokens.take()) return Cause.done(attempts)
            if (!waiting) attempts += 1
            return Effect.succeed<[number, Duration.Duration]>([attempts, Duration.millis(millis)])
          })
      })
    )
  )
