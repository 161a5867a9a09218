import { NodeHttpServer } from "@tollgate/server"
import type { FixedProvider } from "@tollgate/gateway/upstream/Route"
import * as Context from "effect/Context"
import * as HttpServer from "effect/http/HttpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { bindings, priced, streams } from "../models.ts"
import { type Options, TestGateway } from "../TestGateway.ts"

/** A gateway on a real port, whose calls go to upstreams that a test drives. */
export class Served extends Context.Service<Served, { readonly port: number; readonly baseUrl: string }>()(
  "@tollgate/testing/hostile/Served"
) {
  /** Serves the test gateway. Closing the layer shuts the server down as the program does. */
  static readonly layer = (options: Partial<NodeHttpServer.Options> = {}): Layer.Layer<Served, never, TestGateway> =>
    Layer.effect(Served, serve).pipe(
      Layer.provide(
        Layer.unwrap(
          TestGateway.useSync(({ upstreamConnections }) =>
            NodeHttpServer.layer({
              port: 0,
              fastReader: process.env.TEST_HTTP_READER !== "node",
              atShutdownDeadline: upstreamConnections.close,
              ...options
            })
          )
        )
      ),
      Layer.orDie
    )
}

const serve = Effect.gen(function* () {
  const { app } = yield* TestGateway
  yield* HttpServer.serveEffect(app)
  const { address } = yield* HttpServer.HttpServer
  return { port: address._tag === "UnixPathAddress" ? 0 : address.port, baseUrl: HttpServer.formatAddress(address) }
})

type Provider = Omit<FixedProvider, "name" | "baseUrl" | "deadlineMillis"> & Partial<FixedProvider>

/** An upstream on this port, for one operation. */
export const providerAt = (port: number, provider: Provider): FixedProvider => ({
  name: `at ${port}`,
  baseUrl: `http://127.0.0.1:${port}`,
  deadlineMillis: 15_000,
  ...provider
})

export const gatewayTo = (providers: Readonly<Record<string, FixedProvider>>, options: Options = {}) =>
  TestGateway.layer({ operations: priced, bindings, providers, ...options })

export const servedTo = (providers: Readonly<Record<string, FixedProvider>>, options: Options = {}) =>
  Layer.provideMerge(Served.layer(), gatewayTo(providers, options))

/** The operation and protocol of each kind of stream, all answered by the upstream on this port. */
export const streamProviders = (port: number, provider: Partial<FixedProvider> = {}) => ({
  [streams.openai.operation]: providerAt(port, { name: "openai", protocol: "openai", ...provider }),
  [streams.responses.operation]: providerAt(port, { name: "responses", protocol: "openai", ...provider }),
  [streams.anthropic.operation]: providerAt(port, { name: "anthropic", protocol: "anthropic", ...provider }),
  [streams.gemini.operation]: providerAt(port, { name: "gemini", protocol: "gemini", ...provider })
})
