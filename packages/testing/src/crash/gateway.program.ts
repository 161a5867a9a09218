import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import { AccountsSql, Http, KeyHash, KeysSql, LedgerSql, Limits, migrate, Upstreams } from "@tollgate/gateway"
import { OnMilestone } from "@tollgate/gateway/Milestone"
import { UpstreamCarrier, NodeHttpServer, NodeRuntime, NodeSqliteClient } from "@tollgate/server"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

// A gateway that ends itself without warning at the nth time it reaches a milestone, or when it is killed.
const [filename = "", upstream = "", milestone = "", nth = "0"] = process.argv.slice(2)

let left = Number(nth)
const crash = (reached: string) => {
  if (reached === milestone && --left === 0) process.kill(process.pid, "SIGKILL")
}

const provider = { name: "sandbox", baseUrl: upstream, protocol: "json", deadlineMillis: 20_000, sandbox: true }

const serve = Effect.gen(function* () {
  yield* HttpServer.serveEffect(yield* Http.make(Catalogue.make(operations, defaults)))
  const { address } = yield* HttpServer.HttpServer
  process.send?.({ baseUrl: HttpServer.formatAddress(address) })
})

const layer = Layer.effectDiscard(serve).pipe(
  Layer.provide(NodeHttpServer.layer({ host: "127.0.0.1", port: 0 })),
  Layer.provide(Upstreams.layer({ providers: { rerank: provider } }).pipe(Layer.provide(UpstreamCarrier.layer()))),
  Layer.provide(Layer.mergeAll(LedgerSql.layer, Limits.layerOff, Digest.layerWebCrypto)),
  Layer.provide(Layer.succeed(OnMilestone, crash)),
  Layer.provide(Layer.mergeAll(KeysSql.layer, AccountsSql.layer)),
  Layer.provide(KeyHash.layer(Redacted.make(new Uint8Array(32).fill(7)))),
  Layer.provide(Mac.layerWebCrypto),
  Layer.provide(SecureRandom.layerWebCrypto),
  Layer.provide(Layer.effectDiscard(migrate)),
  Layer.provide(NodeSqliteClient.layer({ filename }))
)

process.on("disconnect", () => process.exit(0))
NodeRuntime.runMain(Layer.launch(layer))
