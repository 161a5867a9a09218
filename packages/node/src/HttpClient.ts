import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import { nativeTracer } from "effect/Tracer"
import { constTrue } from "effect/Function"
import { Agent } from "undici"
import { outgoing } from "./internal/clientBody.ts"
import type { ClientResponse } from "./internal/clientResponse.ts"
import { Exchange } from "./internal/exchange.ts"
import { NotSent } from "./internal/notSent.ts"

export { NotSent } from "./internal/notSent.ts"

export interface Options {
  /** Open connections per origin. Default 256. */
  readonly connections?: number | undefined
  /** For the connection, TLS included. Default 10 seconds. */
  readonly connectTimeout?: Duration.Input | undefined
  /** From the request to the head of the answer. Default 5 minutes. */
  readonly headersTimeout?: Duration.Input | undefined
  /** Between two pieces of the answer's body. Default 5 minutes. */
  readonly bodyTimeout?: Duration.Input | undefined
  /** How long an unused connection is kept. Default 10 seconds. */
  readonly keepAliveTimeout?: Duration.Input | undefined
  /** A longer answer fails while it is read. Default: no limit. */
  readonly maxResponseBytes?: number | undefined
  /** Certificates to trust instead of Node's own. */
  readonly ca?: string | undefined
}

const millis = (input: Duration.Input | undefined, fallback: Duration.Input): number =>
  Duration.toMillis(Duration.fromInputUnsafe(input ?? fallback))

const makeAgent = (options: Options): Agent =>
  new Agent({
    connections: options.connections ?? 256,
    // A second request on a busy connection, or HTTP/2, could be written twice: undici requeues what a peer may have seen.
    pipelining: 1,
    allowH2: false,
    headersTimeout: millis(options.headersTimeout, "5 minutes"),
    bodyTimeout: millis(options.bodyTimeout, "5 minutes"),
    keepAliveTimeout: millis(options.keepAliveTimeout, "10 seconds"),
    maxResponseSize: options.maxResponseBytes ?? -1,
    connect: {
      timeout: millis(options.connectTimeout, "10 seconds"),
      ...(options.ca === undefined ? {} : { ca: options.ca })
    }
  })

export const make = (options: Options = {}): Effect.Effect<HttpClient.HttpClient, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => makeAgent(options)),
      (agent) => Effect.promise(() => agent.destroy())
    ),
    (agent) =>
      withoutIdleSpans(HttpClient.make((request, url, signal) =>
        Effect.flatMap(outgoing(request), ({ body, contentType }) =>
          Effect.callback<ClientResponse, HttpClientError>((resume) => {
            const exchange = new Exchange(request, url, resume)
            signal.addEventListener("abort", exchange.abort, { once: true })
            agent.dispatch({
              origin: url.origin,
              path: url.pathname + url.search,
              method: request.method,
              headers: contentType === undefined ? request.headers : { ...request.headers, "content-type": contentType },
              body
            }, exchange)
            return Effect.sync(exchange.abort)
          }))
      ))
  )

/** With no tracer to see them, spans are not made, and no trace headers are sent. */
const withoutIdleSpans = HttpClient.transformResponse((effect: Effect.Effect<HttpClientResponse, HttpClientError>) =>
  Effect.withFiber((fiber) => {
    const tracer = fiber.cache.tracer
    return tracer === undefined || tracer === nativeTracer
      ? Effect.provideService(effect, HttpClient.TracerDisabledWhen, constTrue)
      : effect
  })
)

/** Requests over undici. Redirects are answers like any other; nothing is retried. */
export const layer = (options?: Options): Layer.Layer<HttpClient.HttpClient> =>
  Layer.effect(HttpClient.HttpClient, make(options))

/** True only with proof that not one byte of the request was written, so that the upstream cannot have acted on it. */
export const isNotSent = (error: HttpClientError): boolean => {
  const reason = error.reason
  return reason._tag === "InvalidUrlError" || reason.cause instanceof NotSent
}
