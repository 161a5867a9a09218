import * as Catalogue from "@tollgate/contract/Catalogue"
import { micro, usd } from "@tollgate/contract/Money"
import { defaults } from "@tollgate/contract/Names"
import type { Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { Accounts, Admin, Composition, EndpointGroup, Http, Ledger } from "@tollgate/gateway"
import { Limits } from "@tollgate/gateway/limits/Limits"
import { routesTo } from "@tollgate/gateway/upstream/Route"
import { UpstreamCarrier, NodeDigest, NodeHttpServer, NodeRuntime, NodeSqliteClient } from "@tollgate/server"
import { ToolServer } from "@tollgate/tools"
import { PostgresClient } from "@tollgate/server/postgres"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { none, type Config } from "../../../../apps/gateway/src/config/Config.ts"
import { read } from "../../../../apps/gateway/src/config/read.ts"
import { attackers } from "../attack.ts"
import { bursts } from "../burst.ts"
import { day, fill } from "../fill.ts"
import { model } from "../conversation.ts"
import { adminToken, key } from "../question.ts"
import { ready } from "./ready.ts"

// The gateway as the command starts it. Its upstreams are the bench's own, over sockets.
const [upstream = "", mode, chatUpstream = upstream, postgres] = process.argv.slice(2)
const billing = mode === "billing"
const folder = mkdtempSync(join(tmpdir(), "tollgate-bench-"))
const filename = join(folder, "tollgate.db")
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))

const provider = (protocol: string, baseUrl: string) => ({
  name: `bench ${protocol}`,
  baseUrl,
  protocol,
  deadlineMillis: 60_000,
  idleMillis: 600_000,
  // A thousand streams run at once.
  connections: 4_096
})

const price = { input: usd("1"), output: usd("4"), cacheRead: usd("1"), cacheWrite: usd("1") }
const priced = operations.map((operation): Operation =>
  operation.price.contract === "model_tokens"
    ? { ...operation, price: { ...operation.price, models: { [model]: price } } }
    : operation
)

/** With the operations of an operator's own, in addition. */
const definitionOf = (own: Config["operations"]): Composition.Definition => {
  const targets = new Map(own.map(({ operation, target }) => [operation.id, target]))
  const ownRoutes = routesTo(Object.fromEntries([...targets.keys()].map((id) => [id, provider("json", upstream)])))
  return {
    catalogue: Catalogue.make([...priced, ...own.map(({ operation }) => operation)], defaults),
    routes: [
      ...routesTo({ rerank: provider("json", upstream), "chat.completions": provider("openai", chatUpstream) }),
      ...ownRoutes.map((route) => ({
        ...route,
        to: route.to.map((target) => ({ ...target, ...targets.get(route.operation) }))
      }))
    ]
  }
}

const serve = Effect.gen(function* () {
  const accounts = yield* Accounts
  const { id } = yield* accounts.create("bench")
  yield* accounts.topUp(id, micro(1_000_000_000_000n), "bench")
  yield* accounts.change(id, { rpm: 1_000_000_000, tpm: 1_000_000_000, concurrency: 100_000 })
  const benchKey = yield* accounts.adoptKey(id, Redacted.make(key), "bench")
  const count = Number(process.env.BENCH_FILL ?? 0)
  if (count > 0) {
    yield* fill({ account: id, key: benchKey, count, from: Date.now() - 364 * day, days: 364, busyMinutes: 1 })
  }
  for (const [name, key] of Object.entries(attackers)) {
    const { id } = yield* accounts.create(name)
    const ownKey = yield* accounts.adoptKey(id, Redacted.make(key), name)
    if (key === attackers.poor) yield* accounts.changeKey(ownKey, { budget: micro(0n) })
    else yield* accounts.adjust(id, 1_000_000_000_000n, name)
  }
  for (const { key, tier } of bursts) {
    const { id } = yield* accounts.create(key)
    yield* accounts.adjust(id, 1_000_000_000_000n, key)
    yield* accounts.change(id, { tier })
    yield* accounts.adoptKey(id, Redacted.make(key), key)
  }
  const file = process.env.BENCH_CONFIG
  const { operations: own } = file === undefined ? yield* none : yield* read(file)
  const all = Composition.all()
  const { gateway, services } = yield* Composition.make(
    definitionOf(own),
    billing ? all : (inForce) => Layer.mergeAll(all(inForce), Ledger.layerOff, Limits.layerOff)
  )
  const makeAdmin = Effect.provideContext(Admin.make(Redacted.make(adminToken)), services)
  const admin = count > 0 ? [Admin.endpoints(yield* makeAdmin)] : []
  yield* HttpServer.serveEffect(EndpointGroup.serve([yield* ToolServer.make(gateway), ...admin], Http.answer(gateway)))
  const { address } = yield* HttpServer.HttpServer
  ready(Number(new URL(HttpServer.formatAddress(address)).port))
})

const store: Layer.Layer<SqlClient, SqlError> =
  postgres === undefined
    ? NodeSqliteClient.layer({ filename })
    : PostgresClient.layer({ address: Redacted.make(postgres) })

const layer = Layer.effectDiscard(serve).pipe(
  Layer.provide(
    NodeHttpServer.layer({ host: "127.0.0.1", port: 0, fastReader: process.env.BENCH_HTTP_READER !== "node" })
  ),
  Layer.provide(UpstreamCarrier.layer({ connections: 4_096 })),
  Layer.provide(Composition.layerStore(Redacted.make(new Uint8Array(32).fill(1)))),
  Layer.provide(store),
  Layer.provide(NodeDigest.layer)
)

NodeRuntime.stayReady()
NodeRuntime.runMain(Layer.launch(layer))
