import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { OutcomeUnknown } from "../errors/errors.ts"
import type { Invocation } from "./Invocation.ts"
import { memoryFor, remember, type Terms } from "./memory.ts"
import { type Failed, isInFlight, isProven } from "../retry/rules.ts"
import { delays } from "./delays.ts"

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

export const outcomeUnknown = (invocation: Invocation, terms: Terms, failed: Failure): OutcomeUnknown =>
  remember(
    new OutcomeUnknown({
      operation: invocation.operation.id,
      message: `${failed.message} (it may have run: \`resume\` asks for its outcome)`,
      outcome: "unknown",
      ...(terms.key === undefined ? {} : { idempotencyKey: terms.key }),
      ...(failed.status === undefined ? {} : { status: failed.status }),
      ...(failed.code === undefined ? {} : { code: failed.code }),
      ...(failed.requestId === undefined ? {} : { requestId: failed.requestId }),
      cause: failed
    }),
    memoryFor(invocation, terms)
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
  onAnswer: (answer: A) => void
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
    if (trace !== undefined) trace.sent = sentBefore || doubtful
    return Effect.flatMap(Random.nextBetween(0.75, 1.25), (jitter) => {
      const millis = delayAfter(failed, jitter)
      return millis === undefined ? Effect.fail(failed) : Effect.andThen(Effect.sleep(millis), retried)
    })
  })
  if (terms === undefined) return retried
  const creates = operation.replay === "create"
  return Effect.mapError(retried, (failed) =>
    isUnended(failed) || isAmbiguous(failed, creates, earlierDoubtful)
      ? outcomeUnknown(invocation, terms, failed)
      : failed
  )
}
