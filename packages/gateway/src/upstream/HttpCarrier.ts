import { isNotSent } from "@tollgate/contract/Transport"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { HttpMethod } from "effect/http/HttpMethod"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Deadlines } from "../internal/Deadlines.ts"
import { Carrier, type Incoming, NotCarried, type Outgoing } from "./Carrier.ts"

const requestOf = ({ body, headers, method, origin, path }: Outgoing): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.make(method as HttpMethod)(`${origin}${path}`, {
    headers,
    ...(body === undefined ? {} : { body: HttpBody.uint8Array(body, headers["content-type"] ?? "application/json") })
  })

const timedOut = () => new NotCarried({ why: "timeout" })

const make = Effect.gen(function* () {
  const client = yield* HttpClient.HttpClient
  const notSent = yield* isNotSent
  const context = yield* Effect.context()
  const known = new Map<number, Deadlines>()
  const deadlines = (millis: number): Deadlines => {
    const found = known.get(millis) ?? new Deadlines(millis, context)
    known.set(millis, found)
    return found
  }
  const failure = (error: HttpClientError) => new NotCarried({ why: notSent(error) ? "not sent" : "broken" })

  const exchange = (outgoing: Outgoing): Effect.Effect<Incoming, NotCarried> =>
    Effect.flatMap(
      Effect.mapError(client.execute(requestOf(outgoing)), failure),
      (response): Effect.Effect<Incoming, NotCarried> => {
        const { headers, status } = response
        if (outgoing.isStreamed({ status, headers })) {
          const body = Stream.mapError(response.stream, failure).pipe(
            Stream.timeoutOrElse({ duration: outgoing.idleMillis, orElse: () => Stream.fail(timedOut()) })
          )
          return Effect.succeed({ status, headers, body })
        }
        return Effect.map(Effect.mapError(response.arrayBuffer, failure), (buffer) => ({
          status,
          headers,
          body: new Uint8Array(buffer)
        }))
      }
    )

  return Carrier.of({
    carry: (outgoing) => deadlines(outgoing.deadlineMillis).within(exchange(outgoing), timedOut)
  })
})

/** Over any HTTP client: an in-process sandbox, or a platform that has no carrier of its own. */
export const layer: Layer.Layer<Carrier, never, HttpClient.HttpClient> = Layer.effect(Carrier, make)
