import { fromMicros, micro } from "@tollgate/contract/Money"
import { FleetSql, Ledger, LedgerSql } from "@tollgate/gateway"
import type { Priced } from "@tollgate/gateway/exchange/Exchange"
import type { Settled } from "@tollgate/ledger/ledger/Ledger"
import { PostgresClient } from "@tollgate/server/postgres"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { accounts } from "../accounts.ts"

// The ledger of one gateway, without the rest of it: reserves and settles calls when it is told to.
const [address = ""] = process.argv.slice(2)

const price = fromMicros(micro(3n))
const settled: Settled = {
  settlement: { value: micro(3n), charged: micro(3n), chargedNano: price },
  costState: "settled",
  answer: { status: 200, contentType: "application/json", bytes: new Uint8Array() },
  evidence: '{"kind":"tokens","total":250}',
  usage: { input: 250, output: 0, cacheRead: 0, cacheWrite: 0 }
}

let calls = 0
/** The part of a request that the ledger reads. */
const exchange = (): Priced => {
  const account = accounts[Math.floor(Math.random() * accounts.length)]!
  const known = {
    requestId: `req_${process.pid}_${++calls}`,
    operation: { id: "rerank" },
    principal: { account, key: `key_${account}` },
    model: "bench",
    price: { contract: "per_request", amount: "pending" },
    estimate: { likely: price, most: price }
  }
  return known as Priced
}

const timed = <A, E>(took: Array<number>, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const begun = performance.now()
    return Effect.tap(effect, () => Effect.sync(() => void took.push(performance.now() - begun)))
  })

const run = Effect.fnUntraced(function* (millis: number, inFlight: number) {
  const ledger = yield* Ledger
  const took: Array<number> = []
  const until = performance.now() + millis
  const caller = Effect.gen(function* () {
    while (performance.now() < until) {
      const reserved = yield* timed(took, ledger.reserve(exchange(), undefined))
      if (reserved.kind === "reserved") yield* timed(took, ledger.settle(reserved.reservation, settled))
    }
  })
  yield* Effect.all(
    Array.from({ length: inFlight }, () => caller),
    { concurrency: "unbounded", discard: true }
  )
  return took
})

const ledger = LedgerSql.layer.pipe(
  Layer.provide(FleetSql.layer({ name: "bench", version: "0", config: "" })),
  Layer.provide(SecureRandom.layerWebCrypto),
  Layer.provide(PostgresClient.layer({ address: Redacted.make(address) }))
)

const main = Effect.gen(function* () {
  const context = yield* Effect.context<Ledger>()
  process.on("message", ({ inFlight, millis }: { readonly inFlight: number; readonly millis: number }) => {
    Effect.runPromise(Effect.provideContext(run(millis, inFlight), context)).then(
      (took) => process.send?.({ took }),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      }
    )
  })
  process.on("disconnect", () => process.exit(0))
  process.send?.({ ready: true })
  return yield* Effect.never
})

await Effect.runPromise(Effect.scoped(Effect.provide(main, ledger)))
