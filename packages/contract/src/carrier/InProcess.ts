import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Carrier, type Incoming } from "./Carrier.ts"
import * as HttpCarrier from "./HttpCarrier.ts"

type App<E = never> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** Provides the scope of one request. It closes with the response: where that is streamed, when its body ends. */
const scopedResponse = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, Exclude<R, Scope.Scope>> =>
  Effect.suspend(() => {
    const scope = Scope.makeUnsafe()
    return Effect.provideService(Effect.map(app, HttpEffect.scopeTransferToStream), Scope.Scope, scope).pipe(
      Effect.onExit((exit) =>
        Exit.isSuccess(exit) && exit.value.body._tag === "Stream" ? Effect.void : Scope.close(scope, exit)
      )
    )
  })

/** An HTTP client whose requests are all answered by an app in this process, without a socket. */
export const client = <E>(app: App<E>): HttpClient.HttpClient =>
  HttpClient.make((request) =>
    scopedResponse(app).pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromClientRequest(request)),
      Effect.orDie,
      Effect.map((response) => HttpServerResponse.toClientResponse(response, { request }))
    )
  )

export interface Options {
  /** Requests to this origin go to the app. */
  readonly origin: string
  readonly app: App
  /** The `Host` header that the app sees, for the addresses in its answers. */
  readonly host: string
}

/** A fiber of its own reads the body, as a socket does: who is interrupted while waiting for a chunk can still read the rest. */
const readAhead = (incoming: Incoming): Incoming =>
  Stream.isStream(incoming.body) ? { ...incoming, body: Stream.buffer(incoming.body, { capacity: 1 }) } : incoming

const make = Effect.fnUntraced(function* ({ app, host, origin }: Options) {
  const others = yield* Carrier
  const own = yield* Effect.provideService(HttpCarrier.make, HttpClient.HttpClient, client(app))
  return Carrier.of({
    carry: (outgoing) =>
      outgoing.origin === origin
        ? Effect.map(own.carry({ ...outgoing, headers: { ...outgoing.headers, host } }), readAhead)
        : others.carry(outgoing)
  })
})

/** Carries requests to one origin to an app in this process, and all others by the carrier that it is given. */
export const layer = (options: Options): Layer.Layer<Carrier, never, Carrier> => Layer.effect(Carrier, make(options))
