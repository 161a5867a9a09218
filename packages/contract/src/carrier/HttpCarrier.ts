import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { HttpMethod } from "effect/http/HttpMethod"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { DisablePropagation } from "effect/Tracer"
import { Carrier, type Incoming, NotCarried, type Outgoing } from "./Carrier.ts"
import { collect } from "./readBounded.ts"
import * as Context from "effect/Context"

/** Whether an error proves that nothing was received. Only the platform's client can tell; the default is no. */
export const isNotSent = Context.Reference<(error: HttpClientError) => boolean>("@tollgate/contract/isNotSent", {
  defaultValue: () => () => false
})

const requestOf = ({ body, headers, method, origin, path }: Outgoing): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.make(method as HttpMethod)(`${origin}${path}`, {
    headers,
    ...(body === undefined ? {} : { body: HttpBody.uint8Array(body, headers["content-type"] ?? "application/json") })
  })

/**
 * Effect's HTTP clients record query and headers in spans and send trace ids to the server, even without a tracer.
 * Callers of the carrier make their own spans, without either.
 */
const untraced = <A, E, R>(execute: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(execute, DisablePropagation, true)

type Body = Stream.Stream<Uint8Array, HttpClientError>

/** Closes the connection of a body that nobody reads: opens it and ends at once. It must be the body itself: others open late. */
const close = (body: Body): Effect.Effect<unknown> =>
  Effect.exit(Stream.runDrain(Stream.transformPull(body, () => Effect.succeed(Cause.done()))))

const timedOut = () => new NotCarried({ why: "timeout" })

export const make = Effect.gen(function* () {
  const client = yield* HttpClient.HttpClient
  const notSent = yield* isNotSent
  const failure = (error: HttpClientError) =>
    // The error itself holds the request and its credential, which a logger would print.
    new NotCarried({ why: notSent(error) ? "not sent" : "broken", cause: error.reason.cause })

  const exchange = (outgoing: Outgoing, onStream: (body: Body) => void): Effect.Effect<Incoming, NotCarried> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        Effect.mapError(restore(untraced(client.execute(requestOf(outgoing)))), failure),
        (response): Effect.Effect<Incoming, NotCarried> => {
          const { status } = response
          const headers = { ...response.headers }
          const stream = Stream.catch(response.stream, (error) =>
            error.reason._tag === "EmptyBodyError" ? Stream.empty : Stream.fail(failure(error))
          )
          if (outgoing.isStreamed({ status, headers })) {
            const body = Stream.timeoutOrElse(stream, {
              duration: outgoing.idleMillis,
              orElse: () => Stream.fail(timedOut())
            })
            onStream(response.stream)
            return Effect.succeed({ status, headers, body })
          }
          return Effect.map(restore(collect(stream, outgoing.maxBytes)), (body) => ({ status, headers, body }))
        }
      )
    )

  return Carrier.of({
    carry: (outgoing) =>
      Effect.suspend(() => {
        let unread: Body | undefined
        const exchanged = exchange(outgoing, (body) => void (unread = body))
        const carried = Effect.timeoutOrElse(exchanged, {
          duration: outgoing.deadlineMillis,
          orElse: () => Effect.fail(timedOut())
        })
        // Its caller may be interrupted, or the time over, at the moment at which the head arrives.
        return Effect.onExit(carried, (exit) =>
          unread === undefined || Exit.isSuccess(exit) ? Effect.void : close(unread)
        )
      })
  })
})

/** A carrier over any HTTP client, for platforms that have no carrier of their own. */
export const layer: Layer.Layer<Carrier, never, HttpClient.HttpClient> = Layer.effect(Carrier, make)
