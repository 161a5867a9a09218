import type { Failure, Input, Operation, Success } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import type { HttpClientError } from "effect/http/HttpClientError"
import { read } from "./answer.ts"
import { Client } from "./Client.ts"
import { type ClientError, InputInvalid, TransportFailed } from "./errors.ts"
import { write } from "./request.ts"

/** What a call of an operation can fail with: what its server declares, and what can go wrong on this side. */
export type CallError<O extends Operation> = Failure<O> | ClientError

/** Makes the function for an operation. One attempt; the error tells what is known of it. */
export const call = <O extends Operation>(operation: O) =>
  Effect.fnUntraced(function* (input: Input<O>): Effect.fn.Return<Success<O>, CallError<O>, Client> {
    const client = yield* Client
    const bound = client.bound(operation)
    if (bound === undefined) {
      return yield* new InputInvalid({
        operation: operation.id,
        message: "The path of this operation is pending: bind one in the client's options",
        outcome: "not executed"
      })
    }
    const request = yield* write(client, bound, input)
    const broken = (cause: HttpClientError) =>
      new TransportFailed({
        operation: bound.id,
        message: cause.message,
        outcome: client.isNotSent(cause) ? "not executed" : "unknown",
        // Not the error itself: it holds the request, and with it the credential, for whatever prints all fields.
        ...(cause.reason.cause === undefined ? {} : { cause: cause.reason.cause })
      })
    return yield* client.http.execute(request).pipe(
      Effect.mapError(broken),
      Effect.flatMap((response) => read(bound, response, broken)),
      Effect.timeoutOrElse({
        duration: client.deadlineMillis,
        orElse: () =>
          Effect.fail(
            new TransportFailed({
              operation: bound.id,
              message: `No whole answer within ${client.deadlineMillis} ms`,
              outcome: "unknown"
            })
          )
      })
    )
  })
