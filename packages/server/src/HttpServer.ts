import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpServer from "effect/http/HttpServer"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Server as NetServer, type Socket } from "node:net"
import type { Incoming, Outgoing } from "./http/exchange.ts"
import { readFirst } from "./http/fast/readFirst.ts"
import { type Body, BodyMemory, RequestBody, WholeBody } from "./http/requestBody.ts"
import { InFlight } from "./http/inFlight.ts"
import { listen, type ListenError } from "./http/listen.ts"
import { answerParseError, isClosing, refusalStatus, refuse, refuseConnect } from "./http/refusal.ts"
import { ServerRequest } from "./http/serverRequest.ts"
import { send } from "./http/serverResponse.ts"
import { checkTimeouts } from "./http/timeouts.ts"

export { ListenError } from "./http/listen.ts"
export { BodyTooLarge } from "./http/requestBody.ts"

export interface Options {
  readonly port: number
  /** Default 127.0.0.1. */
  readonly host?: string | undefined
  /** Reading a longer body fails with `BodyTooLarge`. Default 32 MiB. */
  readonly maxBodyBytes?: number | undefined
  /** All bodies over 64 KiB that are held at a time, together. Reading fails above it. Default 256 MiB. */
  readonly maxHeldBodyBytes?: number | undefined
  /** Whether plain requests are read in front of `node:http`, which costs less. Default true. */
  readonly fastReader?: boolean | undefined
  /** Default 16 KiB. */
  readonly maxHeaderBytes?: number | undefined
  /** Default 100. */
  readonly maxHeaderCount?: number | undefined
  /** Time for the head of a request to arrive. Default 10 seconds. */
  readonly headersTimeout?: Duration.Input | undefined
  /** Time for the whole request to arrive. Default 60 seconds. */
  readonly requestTimeout?: Duration.Input | undefined
  /** Time between two requests on one connection. Default 65 seconds: load balancers usually keep 60. */
  readonly keepAliveTimeout?: Duration.Input | undefined
  /** After this time, a peer that stopped reading is disconnected; one that waits for a response is not. Default 2 minutes. */
  readonly idleTimeout?: Duration.Input | undefined
  /** After this time, a peer that reads nothing of a stream is disconnected. Default 60 seconds. */
  readonly readerTimeout?: Duration.Input | undefined
  /** Default 10,000. */
  readonly maxRequestsPerConnection?: number | undefined
  /** Default 10,000. */
  readonly maxConnections?: number | undefined
  /**
   * How long a shutdown goes on accepting requests, each on a connection that closes after it, so that load balancers notice
   * before any is refused. Default 0.
   */
  readonly drainTime?: Duration.Input | undefined
  /**
   * Set in a worker of `node:cluster`, which shares its port with others. New connections are left to them until the
   * application is built, and from a shutdown on. The effect is run then, and succeeds when no connection is being handed
   * to this process any more.
   */
  readonly leftPort?: Effect.Effect<void> | undefined
  readonly onShutdown?: (() => void) | undefined
  /** How long a shutdown waits for requests in flight. Default 10 seconds. */
  readonly shutdownDeadline?: Duration.Input | undefined
  /** Ends what requests still wait for when that time is up, so that they can answer before they are interrupted. */
  readonly atShutdownDeadline?: Effect.Effect<void> | undefined
}

type Handler = (source: Incoming, response: Outgoing, body: Body) => void

/** How many requests wait while the application is being built: its port is open before. */
const maxEarly = 1_000

/** `node:http` reads a longer head. */
const maxFastHeadBytes = 8 * 1024

const graceAfterDeadline = Duration.seconds(1)

export const make = Effect.fnUntraced(function* (options: Options) {
  const maxBodyBytes = options.maxBodyBytes ?? 32 * 1024 * 1024
  const memory = new BodyMemory(options.maxHeldBodyBytes ?? 256 * 1024 * 1024)
  const maxHeaderCount = options.maxHeaderCount ?? 100
  const maxHeaderBytes = options.maxHeaderBytes ?? 16 * 1024
  const maxConnections = options.maxConnections ?? 10_000
  const { ofNode, server } = configured(options, maxHeaderBytes, maxHeaderCount)
  // A worker at this limit hands a connection back. Taken here, it would be lost if the start fails.
  server.maxConnections = options.leftPort === undefined ? maxConnections : 0
  const inFlight = new InFlight(server)
  const early: Array<Parameters<Handler>> = []
  let handler: Handler = (...request) => {
    if (early.length < maxEarly) early.push(request)
    else refuse(request[1], 503, { "retry-after": "1" })
  }

  const accept = (req: IncomingMessage, res: ServerResponse, awaitsContinue: boolean) => {
    if (inFlight.draining || isClosing(req.socket)) return
    const status = refusalStatus(req, maxHeaderCount)
    if (status === undefined) handler(req, res, new RequestBody(req, res, maxBodyBytes, memory, awaitsContinue))
    else refuse(res, status)
  }
  if (options.fastReader !== false) {
    readFirst(server, {
      ofNode,
      maxHeaderBytes: Math.min(maxFastHeadBytes, maxHeaderBytes),
      maxHeaderCount,
      freshMillis: checkInterval(1_000, server.headersTimeout, server.requestTimeout),
      accept: (exchange, bytes, since) => {
        if (inFlight.draining || isClosing(exchange.socket)) return
        handler(exchange, exchange, new WholeBody(bytes, maxBodyBytes, since))
      }
    })
  }
  server.on("request", (req, res) => accept(req, res, false))
  server.on("checkContinue", (req: IncomingMessage, res: ServerResponse) => accept(req, res, true))
  server.on("connect", (_, socket) => refuseConnect(socket, inFlight.responsesOn(socket)))
  server.on("clientError", (error, socket) => answerParseError(error, socket, inFlight.responsesOn(socket)))

  const shutdown = yield* Effect.cached(
    Effect.gen(function* () {
      inFlight.leaving = true
      options.onShutdown?.()
      if (options.leftPort !== undefined) {
        // Not the close of an HTTP server, which also closes connections that a request may be coming on.
        NetServer.prototype.close.call(server)
        yield* options.leftPort
      }
      if (options.drainTime !== undefined) yield* Effect.timeoutOption(inFlight.noConnections, options.drainTime)
      server.close()
      yield* inFlight.closeIdle
      const drained = yield* Effect.timeoutOption(inFlight.empty, options.shutdownDeadline ?? "10 seconds")
      if (drained._tag === "None") {
        if (options.atShutdownDeadline !== undefined) {
          yield* options.atShutdownDeadline
          yield* Effect.timeoutOption(inFlight.empty, graceAfterDeadline)
        }
        yield* inFlight.interrupt
        const ended = yield* Effect.timeoutOption(inFlight.empty, graceAfterDeadline)
        if (ended._tag === "None") yield* Effect.timeoutOption(inFlight.cut, graceAfterDeadline)
      }
      yield* inFlight.closeAll
    })
  )
  const address = yield* Effect.acquireRelease(
    listen(server, options.host ?? "127.0.0.1", options.port),
    () => shutdown
  )

  return HttpServer.make({
    address,
    serve: Effect.fnUntraced(function* (app, middleware) {
      // `toHandled` runs uninterruptibly: without this, a handler would go on after its caller has disconnected.
      const handled = HttpEffect.toHandled(
        Effect.catchCause(Effect.interruptible(app), answerIfInterrupted),
        send(() => inFlight.leaving, millis(options.readerTimeout, "60 seconds")),
        middleware
      )
      const context = yield* Effect.context<never>()
      // Also a finalizer of `serve`, so that requests drain before the application's services are released.
      yield* Scope.addFinalizer(yield* Effect.scope, shutdown)
      handler = (source, response, body) => {
        const request = new ServerRequest(source, response, body)
        body.prefetch(request)
        const run = () => Effect.runForkWith(Context.add(context, HttpServerRequest, request))(handled)
        inFlight.track(request, run, (start) => body.whenPrefetched(start))
      }
      server.maxConnections = maxConnections
      // From now on a worker at the limit closes a connection: full ones would hand it to each other without end.
      Object.assign(server, { dropMaxConnection: true })
      for (const request of early.splice(0)) if (!request[1].destroyed) handler(...request)
    })
  })
})

/** An application that can be interrupted has not executed anything yet. A caller who left needs no answer. */
const answerIfInterrupted = <E>(cause: Cause.Cause<E>) =>
  HttpServerRequest.use((request) => {
    if (!(request instanceof ServerRequest) || request.response.destroyed || !Cause.hasInterruptsOnly(cause)) {
      return Effect.failCause(cause)
    }
    const answer = request.answerIfCut("not executed")
    return answer === undefined ? Effect.failCause(cause) : Effect.succeed(answer)
  })

/** Serves HTTP/1.1 on one address. When the scope closes, it finishes the requests in flight and stops. */
export const layer = (options: Options): Layer.Layer<HttpServer.HttpServer, ListenError> =>
  Layer.effect(HttpServer.HttpServer, make(options))

/** The longest delay of a Node timer. */
const longestTimerMillis = 2 ** 31 - 1

const millis = (input: Duration.Input | undefined, fallback: Duration.Input): number =>
  Math.min(longestTimerMillis, Math.ceil(Duration.toMillis(Duration.fromInputUnsafe(input ?? fallback))))

/** How often to check timeouts of this length: a quarter of the shortest. */
const checkInterval = (mostMillis: number, ...timeouts: ReadonlyArray<number>): number =>
  Math.max(10, Math.floor(Math.min(mostMillis, ...timeouts.flatMap((millis) => (millis > 0 ? [millis / 4] : [])))))

const configured = (options: Options, maxHeaderBytes: number, maxHeaderCount: number) => {
  const headersTimeout = millis(options.headersTimeout, "10 seconds")
  const requestTimeout = millis(options.requestTimeout, "60 seconds")
  const keepAliveTimeout = millis(options.keepAliveTimeout, "65 seconds")
  const idleTimeout = millis(options.idleTimeout, "2 minutes")
  const server = createServer({
    headersTimeout: Math.min(headersTimeout, requestTimeout),
    requestTimeout,
    connectionsCheckingInterval: checkInterval(1_000, headersTimeout, requestTimeout),
    keepAliveTimeout,
    maxHeaderSize: maxHeaderBytes,
    insecureHTTPParser: false,
    // `refusalStatus` checks it: after an error response of Node's own, later requests would still be served.
    requireHostHeader: false,
    noDelay: true
  })
  const ofNode = server.listeners("connection")[0] as (socket: Socket) => void
  server.timeout = idleTimeout
  checkTimeouts(server, checkInterval(5_000, keepAliveTimeout, idleTimeout))
  // Node silently drops headers above this limit; `refusalStatus` must see one more to refuse the request.
  server.maxHeadersCount = maxHeaderCount + 1
  server.maxRequestsPerSocket = options.maxRequestsPerConnection ?? 10_000
  return { server, ofNode }
}
