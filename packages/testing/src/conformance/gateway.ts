import { NodeHttpServer } from "@tollgate/server"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpServer from "effect/http/HttpServer"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import { key, TestGateway } from "../TestGateway.ts"
import { fixtures } from "./fixtures.ts"

/** The suite cannot send a credential, so the gateway adds one to each request. */
const withKey = <A, E, R>(app: Effect.Effect<A, E, R>) =>
  Effect.updateService(app, HttpServerRequest, (request) =>
    request.modify({ headers: Headers.set(request.headers, "authorization", `Bearer ${key}`) })
  )

const serve = TestGateway.use(({ app }) => HttpServer.serveEffect(withKey(app)))

/** A gateway whose tool server also has what the suite expects of a server. */
export const gatewayAt = (port: number): Layer.Layer<never> =>
  Layer.effectDiscard(serve).pipe(
    Layer.provide(NodeHttpServer.layer({ host: "127.0.0.1", port })),
    Layer.provide(
      TestGateway.layer({
        sandbox: "all",
        tools: {
          origins: [`http://127.0.0.1:${port}`, `http://localhost:${port}`],
          registrations: fixtures,
          subscriptions: true,
          // The gateway has no resources of its own, so it knows no subscriptions to them.
          methods: { "resources/subscribe": () => ({}), "resources/unsubscribe": () => ({}) }
        }
      })
    ),
    Layer.orDie
  )
