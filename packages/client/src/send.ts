import type { Bound, Operation, Success } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import { type Answered, attempt, type AttemptError } from "./attempt.ts"
import { OutcomeUnknown } from "./errors.ts"
import type { Invocation } from "./Invocation.ts"
import { attempted, type Watch } from "./observe/Watch.ts"
import { type Failed, isInFlight, isProven } from "./retry/rules.ts"
import type { Written } from "./request.ts"
import { schedule } from "./retry/schedule.ts"

/** A 4xx other than 408 is the caller's mistake and not ambiguous, even if its outcome is `unknown`. */
const isAmbiguous = ({ outcome, status }: Failed): boolean =>
  outcome === "unknown" && (status === undefined || status >= 500 || status === 408)

const isUnknownFirst = ({ code, status }: Failed): boolean => status === 409 && code === "idempotency_unknown"

const unknown = (
  operation: Bound,
  failed: Failed & { readonly message: string; readonly requestId?: string },
  key: string | undefined
) =>
  new OutcomeUnknown({
    operation: operation.id,
    message: failed.message,
    outcome: "unknown",
    ...(key === undefined ? {} : { idempotencyKey: key }),
    ...(failed.status === undefined ? {} : { status: failed.status }),
    ...(failed.code === undefined ? {} : { code: failed.code }),
    ...(failed.requestId === undefined ? {} : { requestId: failed.requestId }),
    cause: failed
  })

/** Sends the request, and retries where its replay class allows. `key` is its idempotency key. */
export const send = Effect.fnUntraced(function* <O extends Operation>(
  invocation: Invocation<O>,
  request: Written,
  key: string | undefined,
  watch: Watch | undefined
): Effect.fn.Return<Answered<Success<O>>, AttemptError<O> | OutcomeUnknown> {
  const { client, operation } = invocation
  const { replay } = operation
  // An attempt with an unknown outcome makes the whole call uncertain, however a later attempt is refused.
  let doubtful = false
  const ending = (failed: AttemptError<O>) => {
    if (replay === "free") return failed
    const ambiguous = isAmbiguous(failed)
    const unended = isUnknownFirst(failed) || isInFlight(failed)
    return ambiguous || unended || (doubtful && isProven(failed)) ? unknown(operation, failed, key) : failed
  }
  return yield* attempted(watch, request, (request) => attempt(invocation, request)).pipe(
    Effect.tapError((failed) => Effect.sync(() => (doubtful ||= !isProven(failed)))),
    Effect.tap((answered) =>
      Effect.sync(() => {
        client.tokens.succeeded()
        watch?.answered(answered)
      })
    ),
    Effect.retry(schedule(invocation, key !== undefined)),
    Effect.mapError(ending)
  )
})
