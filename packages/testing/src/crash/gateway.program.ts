import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import { Composition, Http } from "@tollgate/gateway"
import { OnMilestone } from "@tollgate/ledger/ledger/Milestone"
import { routesTo } from "@tollgate/gateway/upstream/routesTo"
import { UpstreamCarrier, NodeHttpServer, NodeRuntime, NodeSqliteClient } from "@tollgate/server"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

// A gateway that kills itself when it reaches a milestone for the nth time.
const [filename = "", upstream = "", milestone = "", nth = "0"] = process.argv.slice(2)

let left = Number(nth)
const crash = (reached: string) => {
  if (reached === milestone && --left === 0) process.kill(process.pid, "SIGKILL")
}

const definition: Composition.Definition = {
  catalogue: Catalogue.make(operations, defaults),
  routes: routesTo({
    rerank: { name: "sandbox", baseUrl: upstream, protocol: "json", deadlineMillis: 20_000, breaker: false }
  })
}

const serve = Effect.gen(function* () {
  const { gateway } = yield* Composition.make(definition, Composition.all({ limits: false }))
  yield* HttpServer.serveEffect(Http.app(gateway))
  const { address } = yield* HttpServer.HttpServer
  process.send?.({ baseUrl: HttpServer.formatAddress(address) })
})

const layer = Layer.effectDiscard(serve).pipe(
  Layer.provide(NodeHttpServer.layer({ host: "127.0.0.1", port: 0 })),
  Layer.provide(UpstreamCarrier.layer()),
  Layer.provide(Layer.succeed(OnMilestone, crash)),
  Layer.provide(Composition.layerStore(Redacted.make(new Uint8Array(32).fill(7)))),
  Layer.provide(NodeSqliteClient.layer({ filename }))
)

process.on("disconnect", () => process.exit(0))
NodeRuntime.runMain(Layer.launch(layer))
