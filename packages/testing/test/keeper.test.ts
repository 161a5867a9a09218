import { afterAll, expect, layer } from "@effect/vitest"
import { fromMicros, micro } from "@tollgate/contract/Money"
import { AccountsSql, KeyHash, Ledger, LedgerSql, migrate, SignupCredit } from "@tollgate/gateway"
import type { Settled } from "@tollgate/gateway/ledger/Ledger"
import { Refused } from "@tollgate/gateway/Refused"
import { NodeKeeper, NodeSqliteClient } from "@tollgate/node"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { differences, exchange, funded, reserve, reserved, settle } from "./ledgerStore.ts"

const folder = mkdtempSync(join(tmpdir(), "tollgate-keeper-"))
afterAll(() => rmSync(folder, { recursive: true }))

const filename = join(folder, "tollgate.db")

/** The ledger in a worker, and what an operator can do in this thread, over one file. */
const store = Layer.mergeAll(
  LedgerSql.layerKept.pipe(Layer.provide(NodeKeeper.layer({ filename }))),
  AccountsSql.layer.pipe(
    Layer.provide(KeyHash.layer(Redacted.make(new Uint8Array(32)))),
    Layer.provide(Mac.layerWebCrypto),
    Layer.provide(Layer.succeed(SignupCredit, micro(1_000_000n)))
  )
).pipe(
  Layer.provide(SecureRandom.layerWebCrypto),
  Layer.provide(Layer.effectDiscard(migrate)),
  Layer.provideMerge(NodeSqliteClient.layer({ filename }))
)

const answered = (bytes: Uint8Array): Settled => ({
  settlement: { value: micro(3n), charged: micro(3n), chargedNano: fromMicros(micro(3n)) },
  costState: "settled",
  answer: { status: 200, contentType: "text/plain", bytes },
  evidence: "{}",
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
})

const idempotency = { id: "key", payload: "digest", replay: true }

layer(store)("a ledger that commits in a worker", (it) => {
  it.effect("settles, releases and holds", () =>
    Effect.gen(function* () {
      const { account, accounts, key } = yield* funded
      const ledger = yield* Ledger
      expect(yield* settle(yield* reserved(account, key, 10), 7)).toEqual({ state: "settled", micros: 7n })
      yield* ledger.release(yield* reserved(account, key, 20), 500)
      yield* ledger.hold(yield* reserved(account, key, 30))
      expect(yield* accounts.getKey(key)).toMatchObject({ spent: 7n, reserved: 30n })
      expect(yield* differences).toEqual([])
      const states = yield* SqlClient.use(
        (sql) => sql`SELECT state FROM calls WHERE key = ${key} ORDER BY reserved`.values
      )
      expect(states).toEqual([["settled"], ["released"], ["unknown"]])
    })
  )

  it.effect("refuses as it would in this thread", () =>
    Effect.gen(function* () {
      const { account, accounts, key } = yield* funded
      const ledger = yield* Ledger
      yield* accounts.changeKey(key, { budget: micro(5n) })
      const refused = yield* Effect.flip(ledger.reserve(exchange(account, key, 10), undefined))
      expect(refused).toBeInstanceOf(Refused)
      expect(refused.refusal).toMatchObject({ code: "over_budget" })
      expect(refused.headers).toEqual({})
      expect(yield* reserve(account, "none", 10)).toBe("invalid_credential")
      expect(yield* differences).toEqual([])
    })
  )

  it.effect("replays an answer as it was, though it was a small part of a large buffer", () =>
    Effect.gen(function* () {
      const { account, key } = yield* funded
      const ledger = yield* Ledger
      const bytes = Buffer.alloc(64 * 1024, 1).subarray(1_000, 1_004)
      bytes.set([0, 255, 10, 13])
      const first = yield* ledger.reserve(exchange(account, key, 10), idempotency)
      if (first.kind !== "reserved") return yield* Effect.die(first)
      expect(first.reservation).toMatchObject({ account, key, amount: 10n, keepAnswer: true })
      yield* ledger.settle(first.reservation, answered(bytes))
      const again = yield* ledger.reserve(exchange(account, key, 10), idempotency)
      expect(again).toEqual({
        kind: "replay",
        answer: { status: 200, contentType: "text/plain", bytes: new Uint8Array([0, 255, 10, 13]) }
      })
      // It is still the caller's to be sent.
      expect(bytes.length).toBe(4)
    })
  )

  it.effect("lets one of a thousand have what is there for one", () =>
    Effect.gen(function* () {
      const { account, accounts, key } = yield* funded
      const all = Array.from({ length: 1_000 }, () => reserve(account, key, 1_000_000))
      const results = yield* Effect.all(all, { concurrency: "unbounded" })
      expect(results.filter((result) => typeof result !== "string")).toHaveLength(1)
      expect(new Set(results.filter((result) => typeof result === "string"))).toEqual(new Set(["insufficient_balance"]))
      expect(yield* accounts.get(account)).toMatchObject({ balance: 1_000_000n, reserved: 1_000_000n })
      expect(yield* differences).toEqual([])
    })
  )

  it.effect("shares the file with an operator who writes to it in this thread", () =>
    Effect.gen(function* () {
      const { account, accounts, key } = yield* funded
      const calls = Effect.forEach(
        Array.from({ length: 200 }),
        () => Effect.flatMap(reserved(account, key, 10), (call) => settle(call, 2)),
        { concurrency: 20, discard: true }
      )
      const topUps = Effect.forEach(
        Array.from({ length: 100 }),
        () => Effect.andThen(accounts.topUp(account, micro(5n), "more"), Effect.yieldNow),
        { discard: true }
      )
      yield* Effect.all([calls, topUps], { concurrency: 2, discard: true })
      expect(yield* accounts.get(account)).toMatchObject({ balance: 1_000_000n + 500n - 400n, reserved: 0n })
      expect(yield* differences).toEqual([])
    })
  )
})
