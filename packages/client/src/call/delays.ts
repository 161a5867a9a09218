import type { Invocation } from "./Invocation.ts"
import { type Failed, isInFlight, rules } from "../retry/rules.ts"
import { jittered, nominal } from "../retry/wait.ts"

/**
 * The wait before the next attempt of a call, in milliseconds. `undefined` if the rules forbid another, or if retries,
 * patience, time or the retry budget are used up.
 */
export const delays = ({ client, leftMillis, operation, policy }: Invocation, keyed: boolean) => {
  let retried = 0
  let previous = 0
  let waited = 0
  return (failed: Failed, jitter: number): number | undefined => {
    if (!rules[operation.replay](failed, keyed)) return undefined
    const waiting = isInFlight(failed)
    if (!waiting && retried >= policy.retries) return undefined
    previous = nominal(policy, previous, failed)
    const millis = jittered(policy, previous, jitter, failed)
    if (waited + millis > policy.patienceMillis || millis >= leftMillis()) return undefined
    // Pacing spaces the repeats of calls that the gateway's limits refused.
    const isPaced = client.pace !== false && failed.code === "rate_limit_exceeded"
    if (!waiting && !isPaced && !client.tokens.take()) return undefined
    if (!waiting) retried += 1
    waited += millis
    return millis
  }
}
