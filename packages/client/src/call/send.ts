import type { Operation, Success } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import { type Answered, attempt, type AttemptError } from "./attempt.ts"
import type { OutcomeUnknown } from "../errors/errors.ts"
import type { Invocation } from "./Invocation.ts"
import type { Terms } from "./memory.ts"
import { attempted, type Watch } from "./Watch.ts"
import type { Written } from "./request.ts"
import { retrying } from "./retrying.ts"

/** Sends the request, and retries where its replay class allows. `terms` are those of a billed call. */
export const send = <O extends Operation>(
  invocation: Invocation<O>,
  request: Written,
  terms: Terms | undefined,
  watch: Watch | undefined
): Effect.Effect<Answered<Success<O>>, AttemptError<O> | OutcomeUnknown> => {
  const { trace } = invocation
  const sent = attempted(watch, request, (request) => attempt(invocation, request))
  const answered = (answered: Answered<Success<O>>) => {
    watch?.answered(answered)
    if (trace !== undefined) trace.charge = answered.charge
  }
  return retrying(invocation, terms, terms?.key !== undefined, sent, answered, watch)
}
