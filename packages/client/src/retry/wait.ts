import type { Policy } from "./Policy.ts"
import { type Failed, isInFlight } from "./rules.ts"

const inFlightMillis = 1_000

/** The delay before jitter: at least the first backoff, `Retry-After` and twice the previous delay. */
export const nominal = (policy: Policy, previous: number, failed: Failed): number => {
  const first = isInFlight(failed) ? inFlightMillis : policy.backoffMillis
  return Math.min(policy.longestMillis, Math.max(first, failed.retryAfter ?? 0, 2 * previous))
}

/** `jitter` is a factor from 0.75 to 1.25. The delay is never shorter than `Retry-After`. */
export const jittered = (policy: Policy, nominal: number, jitter: number, failed: Failed): number =>
  Math.max(failed.retryAfter ?? 0, Math.min(policy.longestMillis, Math.round(nominal * jitter)))
