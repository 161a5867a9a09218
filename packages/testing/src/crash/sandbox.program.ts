import { NodeHttpServer, NodeRuntime } from "@tollgate/server"
import { BillingLog, Sandbox } from "@tollgate/sandbox"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"

// The upstream outlives the gateway. It sends its billing log on request.
const serve = Effect.gen(function* () {
  yield* HttpServer.serveEffect(yield* Sandbox.make())
  const { address } = yield* HttpServer.HttpServer
  const billingLog = yield* BillingLog
  process.on("message", () => process.send?.({ entries: Effect.runSync(billingLog.entries) }))
  process.send?.({ baseUrl: HttpServer.formatAddress(address) })
})

const layer = Layer.effectDiscard(serve).pipe(
  Layer.provide(NodeHttpServer.layer({ host: "127.0.0.1", port: 0 })),
  Layer.provide(BillingLog.layerMemory(10_000_000))
)

process.on("disconnect", () => process.exit(0))
NodeRuntime.runMain(Layer.launch(layer))
