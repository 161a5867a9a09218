import * as Catalogue from "@tollgate/contract/Catalogue"
import { micro } from "@tollgate/contract/Money"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import {
  Accounts,
  AccountsSql,
  Gateway,
  KeyHash,
  KeysSql,
  Ledger,
  LedgerSql,
  Limits,
  migrate,
  Upstreams
} from "@tollgate/gateway"
import { NodeCarrier, NodeHttpServer, NodeKeeper, NodeRuntime, NodeSqliteClient } from "@tollgate/node"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { key } from "../question.ts"
import { ready } from "./ready.ts"

// The gateway as the command starts it, but for its upstream, which is the bench's own over a socket.
const billing = process.argv[3] === "billing"
const filename = join(mkdtempSync(join(tmpdir(), "tollgate-bench-")), "tollgate.db")

const ledger =
  process.argv[4] === "worker"
    ? LedgerSql.layerKept.pipe(Layer.provide(NodeKeeper.layer({ filename })))
    : LedgerSql.layer

const provider = {
  name: "bench",
  baseUrl: process.argv[2] ?? "",
  protocol: "json",
  deadlineMillis: 60_000,
  sandbox: false
}

const serve = Effect.gen(function* () {
  const accounts = yield* Accounts
  const { id } = yield* accounts.create("bench")
  yield* accounts.topUp(id, micro(1_000_000_000_000n), "bench")
  yield* accounts.change(id, { rpm: 1_000_000_000, tpm: 1_000_000_000, concurrency: 100_000 })
  yield* accounts.adoptKey(id, Redacted.make(key), "bench")
  yield* HttpServer.serveEffect(yield* Gateway.make(Catalogue.make(operations, defaults)))
  const { address } = yield* HttpServer.HttpServer
  ready(Number(new URL(HttpServer.formatAddress(address)).port))
})

const layer = Layer.effectDiscard(serve).pipe(
  Layer.provide(NodeHttpServer.layer({ host: "127.0.0.1", port: 0 })),
  Layer.provide(Upstreams.layer({ providers: { rerank: provider } }).pipe(Layer.provide(NodeCarrier.layer()))),
  Layer.provide(billing ? ledger : Ledger.layerOff),
  Layer.provide(billing ? Limits.layerMemory : Limits.layerOff),
  Layer.provide(Digest.layerWebCrypto),
  Layer.provide(Layer.mergeAll(KeysSql.layer, AccountsSql.layer)),
  Layer.provide(KeyHash.layer(Redacted.make(new Uint8Array(32).fill(1)))),
  Layer.provide(Mac.layerWebCrypto),
  Layer.provide(SecureRandom.layerWebCrypto),
  Layer.provide(Layer.effectDiscard(migrate)),
  Layer.provide(NodeSqliteClient.layer({ filename }))
)

NodeRuntime.runMain(Layer.launch(layer))
