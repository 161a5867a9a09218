import { decode } from "@tollgate/contract/errors/decode"
import * as Headers from "@tollgate/contract/Headers"
import type { Bound, Failure, Operation, Success } from "@tollgate/contract/Operation"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import { read } from "./answer.ts"
import { broken } from "./broken.ts"
import type { Client } from "./Client.ts"
import { type AnswerInvalid, TransportFailed } from "./errors.ts"

export interface Answered<A> {
  readonly value: A
  readonly charge: Charge
  /** The stored answer of an earlier call under the same idempotency key. */
  readonly replayed: boolean
}

export type AttemptError<O extends Operation> = Failure<O> | AnswerInvalid | TransportFailed

const answered = <O extends Operation>(
  { names }: Bound<O>,
  { headers, status }: HttpClientResponse,
  value: Success<O>
): Answered<Success<O>> => ({
  value,
  charge: decode({ status, headers: { ...headers }, body: "" }, names, 0).charge,
  replayed: headers[Headers.idempotentReplayed.toLowerCase()] === "true"
})

/** Sends the request once. The error tells what is known of it. */
export const attempt = <O extends Operation>(
  client: Client["Service"],
  operation: Bound<O>,
  request: HttpClientRequest
): Effect.Effect<Answered<Success<O>>, AttemptError<O>> => {
  const lost = broken(client, operation)
  return client.http.execute(request).pipe(
    Effect.mapError(lost),
    Effect.flatMap((response) =>
      Effect.map(read(operation, response, lost), (value) => answered(operation, response, value))
    ),
    Effect.timeoutOrElse({
      duration: client.deadlineMillis,
      orElse: () =>
        Effect.fail(
          new TransportFailed({
            operation: operation.id,
            message: `No whole answer within ${client.deadlineMillis} ms`,
            outcome: "unknown"
          })
        )
    })
  )
}
