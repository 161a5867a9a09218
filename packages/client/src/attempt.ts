import { chargeOf, isReplayed } from "@tollgate/contract/errors/decode"
import type { Head } from "@tollgate/contract/carrier/Carrier"
import type { Bound, Failure, Operation, Success } from "@tollgate/contract/Operation"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import { type Collected, read } from "./answer.ts"
import { sendAuthorized, type SendError } from "./sendAuthorized.ts"
import type { AnswerInvalid } from "./errors.ts"
import type { Invocation } from "./Invocation.ts"
import type { Written } from "./request.ts"
import type { ResellerError } from "./ResellerFailed.ts"

export interface Answered<A> {
  readonly value: A
  /** Of a replayed answer, the charge of the first call. */
  readonly charge: Charge
  /** The stored answer of an earlier call under the same idempotency key. */
  readonly replayed: boolean
  readonly head: Head
}

export type AttemptError<O extends Operation> = Failure<O> | AnswerInvalid | ResellerError<O> | SendError

const answered = <O extends Operation>(
  { names }: Bound<O>,
  { headers, status }: Head,
  value: Success<O>
): Answered<Success<O>> => ({
  value,
  charge: chargeOf(headers, names, "executed"),
  replayed: isReplayed(headers),
  head: { status, headers }
})

const never = () => false

/** Sends the request once. The error says what is known about the outcome. */
export const attempt = <O extends Operation>(
  invocation: Invocation<O>,
  written: Written
): Effect.Effect<Answered<Success<O>>, AttemptError<O>> =>
  Effect.flatMap(sendAuthorized(invocation, written, never), (incoming) => {
    const { operation } = invocation
    const collected = incoming as Collected
    return Effect.map(read(operation, collected), (value) => answered(operation, collected, value))
  })
