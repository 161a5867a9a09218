import * as ApiError from "@tollgate/contract/errors/ApiError"
import { decode } from "@tollgate/contract/errors/decode"
import type { Bound, Failure, Operation } from "@tollgate/contract/Operation"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import { broken } from "../broken.ts"
import type { Client } from "../Client.ts"
import { AnswerInvalid, type TransportFailed } from "../errors.ts"

const isEvents = ({ headers }: HttpClientResponse): boolean =>
  /^text\/event-stream\b/i.test(headers["content-type"] ?? "")

/**
 * Sends the request and reads the head of the answer: all that can be tried again. What follows cannot, as the caller has
 * seen a part of it.
 */
export const open = Effect.fnUntraced(function* <O extends Operation>(
  client: Client["Service"],
  operation: Bound<O>,
  request: HttpClientRequest
): Effect.fn.Return<HttpClientResponse, Failure<O> | AnswerInvalid | TransportFailed> {
  const lost = broken(client, operation)
  const response = yield* Effect.mapError(client.http.execute(request), lost)
  const isOk = response.status >= 200 && response.status < 300
  if (isOk && isEvents(response)) return response
  const body = yield* Effect.mapError(response.text, lost)
  const now = yield* Clock.currentTimeMillis
  const details = decode({ status: response.status, headers: { ...response.headers }, body }, operation.names, now)
  if (!isOk) return yield* Effect.fail(ApiError.make(operation.errors, details) as Failure<O>)
  const { charge, headers, requestId, status } = details
  return yield* new AnswerInvalid({
    operation: operation.id,
    message: `Expected events, the answer is ${response.headers["content-type"] ?? "of no stated type"}`,
    status,
    outcome: "executed",
    charge,
    headers,
    body,
    ...(requestId === undefined ? {} : { requestId })
  })
})
