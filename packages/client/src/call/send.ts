import { chargeOf } from "@tollgate/contract/errors/decode"
import type { Failure, Operation, Success } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import { type Answered, type Collected, read } from "./answer.ts"
import { sendAuthorized, type SendError } from "./sendAuthorized.ts"
import type { AnswerInvalid, OutcomeUnknown, ResellerError } from "../errors/errors.ts"
import type { Invocation } from "./Invocation.ts"
import type { Written } from "./request.ts"
import type { Terms } from "./memory.ts"
import { attempted, type Watch } from "./Watch.ts"
import { retrying } from "./retrying.ts"

type AttemptError<O extends Operation> = Failure<O> | AnswerInvalid | ResellerError<O> | SendError

const never = () => false

/** Sends the request once. The error says what is known about the outcome. */
export const attempt = <O extends Operation>(
  invocation: Invocation<O>,
  written: Written
): Effect.Effect<Answered<Success<O>>, AttemptError<O>> =>
  Effect.flatMap(sendAuthorized(invocation, written, never), (incoming) => {
    const { operation } = invocation
    const collected = incoming as Collected
    return Effect.map(read(operation, collected), (value) => ({
      value,
      charge: chargeOf(collected.headers, operation.names, "executed"),
      head: collected
    }))
  })

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
