import { fromMicros, micro, nano } from "@tollgate/contract/Money"
import { Accounts, Composition, Ledger, LedgerSql } from "@tollgate/gateway"
import type { Priced } from "@tollgate/gateway/exchange/Exchange"
import type { Settled } from "@tollgate/ledger/ledger/Ledger"
import { NodeDigest, NodeRuntime, NodeSqliteClient } from "@tollgate/server"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { key } from "./question.ts"
import { inSlices } from "./slices.ts"

// The ledger's part of a billed call on the embedded store, without the rest of the gateway and, where there is a folder in
// memory, without a disk. It prints the processor time of a call in the quickest slices.
const slices = Number(process.argv[2] ?? 700)
const callers = Number(process.argv[3] ?? 32)
const callsOfEach = Math.max(4, Math.ceil(128 / callers))
const inMemory = "/dev/shm"
const folder = mkdtempSync(join(existsSync(inMemory) ? inMemory : tmpdir(), "tollgate-ledger-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
NodeRuntime.stayReady()

const price = fromMicros(micro(30n))
const settled: Settled = {
  settlement: { value: micro(30n), charged: micro(30n), chargedNano: nano(29_700n) },
  costState: "settled",
  answer: { status: 200, contentType: "application/json", bytes: new Uint8Array() },
  evidence: '{"kind":"tokens","input":250,"output":20,"total":270}',
  usage: { input: 250, output: 20, cacheRead: 0, cacheWrite: 0 }
}

const measure = Effect.gen(function* () {
  const accounts = yield* Accounts
  const { id } = yield* accounts.create("bench")
  yield* accounts.topUp(id, micro(1_000_000_000_000n), "bench")
  const principal = { account: id, key: yield* accounts.adoptKey(id, Redacted.make(key), "bench") }
  const ledger = yield* Ledger
  let calls = 0
  /** The part of a request that the ledger reads. */
  const exchange = (): Priced => {
    const known = {
      requestId: `req_0123456789abcdef_${++calls}`,
      operation: { id: "chat.completions" },
      principal,
      model: "bench",
      price: { contract: "per_request", amount: "pending" },
      estimate: { likely: price, most: price }
    }
    return known as Priced
  }
  const call = Effect.suspend(() =>
    Effect.flatMap(ledger.reserve(exchange(), undefined), (reserved) =>
      reserved.kind === "reserved"
        ? Effect.andThen(
            Effect.yieldNow,
            ledger.settle(reserved.reservation, settled, { provider: "bench", tried: undefined })
          )
        : Effect.die("the call is not reserved")
    )
  )
  const caller = Effect.forEach(Array.from({ length: callsOfEach }), () => call, { discard: true })
  const slice = Effect.all(
    Array.from({ length: callers }, () => caller),
    { concurrency: "unbounded", discard: true }
  )
  console.log(`µs a call of ${callers} callers, ${yield* inSlices(slice, slices, callers * callsOfEach)}`)
})

const layer = Layer.effectDiscard(measure).pipe(
  Layer.provide(LedgerSql.layer),
  Layer.provide(SecureRandom.layerWebCrypto),
  Layer.provide(Composition.layerStore(Redacted.make(new Uint8Array(32).fill(1)))),
  Layer.provide(NodeSqliteClient.layer({ filename: join(folder, "tollgate.db") })),
  Layer.provide(NodeDigest.layer)
)
NodeRuntime.runMain(Effect.scoped(Layer.build(layer)))
