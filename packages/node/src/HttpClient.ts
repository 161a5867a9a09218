import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { nativeTracer } from "effect/Tracer"
import * as HttpClient from "effect/http/HttpClient"
import { HttpClientError, InvalidUrlError } from "effect/http/HttpClientError"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as Url from "effect/http/Url"
import { Agent } from "undici"
import { outgoing } from "./internal/clientBody.ts"
import type { ClientResponse } from "./internal/clientResponse.ts"
import { Exchange } from "./internal/exchange.ts"
import { NotSent } from "./internal/notSent.ts"

export interface Options {
  /** Open connections per origin. Default 256. */
  readonly connections?: number | undefined
  /** For the connection, TLS included. Default 10 seconds. */
  readonly connectTimeout?: Duration.Input | undefined
  /** From the request to the head of the answer. Default 5 minutes. */
  readonly headersTimeout?: Duration.Input | undefined
  /** Between two pieces of the answer's body, whether upstream or reader pauses. 0: no limit. Default 5 minutes. */
  readonly bodyTimeout?: Duration.Input | undefined
  /** How long an unused connection is kept. Default 10 seconds. */
  readonly keepAliveTimeout?: Duration.Input | undefined
  /** A longer answer fails while it is read. Default: no limit. */
  readonly maxResponseBytes?: number | undefined
  /** Certificates to trust instead of Node's own. */
  readonly ca?: string | undefined
}

const defaultBodyTimeout = "5 minutes"

const millis = (input: Duration.Input | undefined, fallback: Duration.Input): number =>
  Duration.toMillis(Duration.fromInputUnsafe(input ?? fallback))

export const connectOptions = (options: Options) => ({
  timeout: millis(options.connectTimeout, "10 seconds"),
  ...(options.ca === undefined ? {} : { ca: options.ca })
})

export const makeAgent = (options: Options, connect: Agent.Options["connect"] = connectOptions(options)): Agent =>
  new Agent({
    connections: options.connections ?? 256,
    // With pipelining or HTTP/2 undici may requeue, and so send again, a request that the peer has seen.
    pipelining: 1,
    allowH2: false,
    headersTimeout: millis(options.headersTimeout, "5 minutes"),
    bodyTimeout: millis(options.bodyTimeout, defaultBodyTimeout),
    keepAliveTimeout: millis(options.keepAliveTimeout, "10 seconds"),
    maxResponseSize: options.maxResponseBytes ?? -1,
    connect
  })

type Send = (
  request: HttpClientRequest,
  url: URL,
  signal?: AbortSignal
) => Effect.Effect<ClientResponse, HttpClientError>

const sendBy =
  (agent: Agent, stallMillis: number): Send =>
  (request, url, signal) =>
    Effect.flatMap(outgoing(request), ({ body, contentType }) =>
      Effect.callback((resume) => {
        const exchange = new Exchange(request, url, stallMillis, resume)
        signal?.addEventListener("abort", exchange.abort, { once: true })
        agent.dispatch(
          {
            origin: url.origin,
            path: url.pathname + url.search,
            method: request.method,
            headers: contentType === undefined ? request.headers : { ...request.headers, "content-type": contentType },
            body
          },
          exchange
        )
        return Effect.sync(exchange.abort)
      })
    )

/**
 * `HttpClient.make` gives every request a span, an `AbortController` and a finalization record, which together cost a
 * quarter of a proxied call. It is left to requests whose spans somebody can see; an exchange ends without it too.
 */
const fromSend = (send: Send): HttpClient.HttpClient => {
  const traced = HttpClient.make(send)
  const untraced = (request: HttpClientRequest): Effect.Effect<HttpClientResponse, HttpClientError> => {
    const url = Url.make(request.url, request.urlParams, Option.getOrUndefined(request.hash))
    return Result.isSuccess(url)
      ? send(request, url.success)
      : Effect.fail(new HttpClientError({ reason: new InvalidUrlError({ request, cause: url.failure }) }))
  }
  return HttpClient.makeWith(
    (request: Effect.Effect<HttpClientRequest, HttpClientError>) =>
      Effect.flatMap(request, (request) =>
        Effect.withFiber((fiber) => {
          const tracer = fiber.cache.tracer
          return tracer === undefined || tracer === nativeTracer ? untraced(request) : traced.execute(request)
        })
      ),
    Effect.succeed
  )
}

export const make = (options: Options = {}): Effect.Effect<HttpClient.HttpClient, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => makeAgent(options)),
    (agent) => Effect.promise(() => agent.destroy())
  ).pipe(Effect.map((agent) => fromSend(sendBy(agent, millis(options.bodyTimeout, defaultBodyTimeout)))))

/** Requests over undici. Redirects are answers like any other; nothing is retried. */
export const layer = (options?: Options): Layer.Layer<HttpClient.HttpClient> =>
  Layer.effect(HttpClient.HttpClient, make(options))

/** True only with proof that not one byte of the request was written, so that the upstream cannot have acted on it. */
export const isNotSent = (error: HttpClientError): boolean => {
  const reason = error.reason
  return reason._tag === "InvalidUrlError" || reason.cause instanceof NotSent
}
