import type { Policy } from "./Policy.ts"
import { type Failed, isInFlight } from "./rules.ts"

const inFlightMillis = 1_000

/** Before jitter: what the answer asks for or else the shortest, and at least twice what it was before. */
export const nominal = (policy: Policy, previous: number, failed: Failed): number => {
  const first = failed.retryAfter ?? (isInFlight(failed) ? inFlightMillis : policy.backoffMillis)
  return Math.min(policy.longestMillis, Math.max(first, 2 * previous))
}

/** `jitter` is a factor from 0.75 to 1.25. Never less than the answer asked for. */
export const jittered = (policy: Policy, nominal: number, jitter: number, failed: Failed): number =>
  Math.max(failed.retryAfter ?? 0, Math.min(policy.longestMillis, Math.round(nominal * jitter)))
