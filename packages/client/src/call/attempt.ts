import { chargeOf } from "@tollgate/contract/errors/decode"
import type { Head } from "@tollgate/contract/carrier/Carrier"
import type { Failure, Operation, Success } from "@tollgate/contract/Operation"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import { type Collected, read } from "./answer.ts"
import { sendAuthorized, type SendError } from "./sendAuthorized.ts"
import type { AnswerInvalid, ResellerError } from "../errors/errors.ts"
import type { Invocation } from "./Invocation.ts"
import type { Written } from "./request.ts"
import type { Hide } from "../credential/hideCredential.ts"

export interface Answered<A> {
  readonly value: A
  /** Of a replayed answer, the charge of the first call. */
  readonly charge: Charge
  readonly head: Head & { readonly hide: Hide }
}

export type AttemptError<O extends Operation> = Failure<O> | AnswerInvalid | ResellerError<O> | SendError

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
