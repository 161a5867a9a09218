import { NodeHttpServer } from "@tollgate/server"
import { client } from "@tollgate/contract/carrier/InProcess"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { TestGateway } from "./TestGateway.ts"

/** Follows no redirects, and adds nothing to requests or traces. */
const plainFetch = FetchHttpClient.layer.pipe(
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" })),
  Layer.provide(Layer.succeed(HttpClient.TracerDisabledWhen, () => true))
)

/** The base URL of a gateway, and an HTTP client that reaches it. */
export class Host extends Context.Service<Host, { readonly baseUrl: string; readonly http: HttpClient.HttpClient }>()(
  "@tollgate/testing/Host"
) {
  /** Without a server: calls the app as a function. */
  static readonly layerInProcess: Layer.Layer<Host, never, TestGateway> = Layer.effect(
    Host,
    TestGateway.use(({ app }) => Effect.succeed({ baseUrl: "http://gateway.invalid", http: client(app) }))
  )

  /** As in an edge runtime: a function from `Request` to `Response`. */
  static readonly layerWeb: Layer.Layer<Host, never, TestGateway> = Layer.effect(
    Host,
    Effect.gen(function* () {
      const { app } = yield* TestGateway
      const handler = HttpEffect.toWebHandler(app)
      const http = yield* HttpClient.HttpClient.pipe(
        Effect.provide(FetchHttpClient.layer),
        Effect.provideService(FetchHttpClient.Fetch, (input, init) => handler(new Request(input, init)))
      )
      return { baseUrl: "http://gateway.invalid", http }
    })
  )

  /** Over real sockets. */
  static readonly layerSockets = (maxBodyBytes: number): Layer.Layer<Host, never, TestGateway> =>
    Layer.effect(
      Host,
      Effect.gen(function* () {
        const { app } = yield* TestGateway
        yield* HttpServer.serveEffect(app)
        const { address } = yield* HttpServer.HttpServer
        return { baseUrl: HttpServer.formatAddress(address), http: yield* HttpClient.HttpClient }
      })
    ).pipe(
      Layer.provide(NodeHttpServer.layer({ host: "127.0.0.1", port: 0, maxBodyBytes })),
      Layer.provide(plainFetch),
      Layer.orDie
    )

  static readonly layerNode = Host.layerSockets(100_000)
}
