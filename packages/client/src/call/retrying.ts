import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { OutcomeUnknown } from "../errors/errors.ts"
import type { Invocation } from "./Invocation.ts"
import { resumable, type Terms } from "./memory.ts"
import { type Failed, isInFlight, isOfKey, isProven, type Policy, rules } from "../retry/Policy.ts"
import type { Watch } from "./Watch.ts"

const inFlightMillis = 1_000

/** The delay before jitter: at least the first backoff, `Retry-After` and twice the previous delay. */
const nominal = (policy: Policy, previous: number, failed: Failed): number => {
  const first = isInFlight(failed) ? inFlightMillis : policy.backoffMillis
  return Math.min(policy.longestMillis, Math.max(first, failed.retryAfter ?? 0, 2 * previous))
}

/** `jitter` is a factor from 0.75 to 1.25. The delay is never shorter than `Retry-After`. */
const jittered = (policy: Policy, nominal: number, jitter: number, failed: Failed): number =>
  Math.max(failed.retryAfter ?? 0, Math.min(policy.longestMillis, Math.round(nominal * jitter)))

/** Milliseconds before the next attempt. `undefined`: forbidden, or retries, patience, time or budget are used up. */
const delays = ({ client, leftMillis, operation, policy }: Invocation, keyed: boolean) => {
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

interface Failure extends Failed {
  readonly message: string
  readonly requestId?: string
}

/** The gateway has said what the call cost, so that a new call pays only for itself. */
export const isSettled = ({ charge }: Failed): boolean =>
  charge !== undefined && charge.state !== "unknown" && charge.state !== "pending"

/** The first call with this key has no known end, or its answer is held back. */
const isUnended = (failed: Failed): boolean =>
  isInFlight(failed) || failed.code === "idempotency_unknown" || failed.code === "settlement_pending"

/** A 4xx other than 408 is the caller's mistake, even if its outcome is `unknown`, unless an earlier attempt may have run. */
const isAmbiguous = (failed: Failed, creates: boolean, mayHaveRun: boolean): boolean => {
  const { outcome, status } = failed
  if (isProven(failed)) return mayHaveRun
  const isMistake = !mayHaveRun && status !== undefined && status < 500 && status !== 408
  return outcome === "unknown" && !isMistake && (creates || !isSettled(failed))
}

/** What to do next. The gateway that does not know the end of a call says the same when it is asked again. */
const adviceAfter = ({ code }: Failed): string =>
  code === "idempotency_unknown"
    ? "it costs nothing, unless the gateway still learns how it ended"
    : "it may have run: `resume` asks for its outcome"

export const outcomeUnknown = (invocation: Invocation, terms: Terms, failed: Failure): OutcomeUnknown =>
  resumable(
    new OutcomeUnknown({
      operation: invocation.operation.id,
      message: `${failed.message} (${adviceAfter(failed)})`,
      outcome: "unknown",
      ...(failed.status === undefined ? {} : { status: failed.status }),
      ...(failed.code === undefined ? {} : { code: failed.code }),
      ...(failed.requestId === undefined ? {} : { requestId: failed.requestId }),
      cause: failed
    }),
    invocation,
    terms
  )

/**
 * Retries where the replay class allows it. A billed call, which has `terms`, fails with `OutcomeUnknown` if it may have run.
 * `keyed`: the gateway can answer a retry under the same key.
 */
export const retrying = <A, E extends Failure>(
  invocation: Invocation,
  terms: Terms | undefined,
  keyed: boolean,
  attempt: Effect.Effect<A, E>,
  onAnswer: (answer: A) => void,
  watch?: Watch
): Effect.Effect<A, E | OutcomeUnknown> => {
  const { client, operation, trace } = invocation
  const sentBefore = trace?.sent === true
  let doubtful = terms?.resumed !== undefined
  let earlierDoubtful = doubtful
  const answered = Effect.map(attempt, (answer) => {
    client.tokens.succeeded()
    onAnswer(answer)
    return answer
  })
  const delayAfter = delays(invocation, keyed)
  const retried: Effect.Effect<A, E> = Effect.catch(answered, (failed) => {
    // An attempt with an unknown outcome makes the whole call uncertain, however a later attempt is refused.
    earlierDoubtful = doubtful
    doubtful ||= !isProven(failed)
    if (!isProven(failed) && !isSettled(failed) && !isOfKey(failed)) invocation.mayHaveRun = true
    if (trace !== undefined) trace.sent = sentBefore || doubtful
    return Effect.flatMap(Random.nextBetween(0.75, 1.25), (jitter) => {
      const millis = delayAfter(failed, jitter)
      if (millis === undefined) return Effect.fail(failed)
      const again = Effect.andThen(Effect.sleep(millis), retried)
      return watch === undefined ? again : Effect.andThen(watch.waits(millis), again)
    })
  })
  if (terms === undefined) return retried
  const creates = operation.replay === "create"
  return Effect.mapError(retried, (failed) => {
    if (isUnended(failed) || isAmbiguous(failed, creates, earlierDoubtful)) {
      return outcomeUnknown(invocation, terms, failed)
    }
    return isProven(failed) ? failed : resumable(failed, invocation, terms)
  })
}
