import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Accounts, Ledger, LedgerSql } from "@tollgate/gateway"
import { MaxPending } from "@tollgate/ledger/commit/journal/Checkpoint"
import { doesNotTouchLedger, EmbeddedStore } from "@tollgate/ledger/store/EmbeddedStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import {
  accountsOn,
  differences,
  exchange,
  funded as fundedAtOnce,
  ledgerOn,
  reserve,
  reserved,
  settle
} from "../ledger/ledgerOn.ts"
import type { Connect, Driver } from "./Driver.ts"
import { journalEquivalence } from "./journalEquivalence.ts"
import { count } from "./query.ts"

const tick = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** Waits for the first sweep, which reads the tables. */
const funded = Effect.tap(fundedAtOnce, () => Effect.andThen(tick, tick))

/** Runs an effect as another process would. */
const visitor = <A, E>(connect: Connect, effect: Effect.Effect<A, E, SqlClient>) => Effect.provide(effect, connect())

export const journalSuite = (driver: Driver): void => {
  const { shared, single } = driver

  describe("the journal", () => {
    it.effect("is checkpointed before this process reads the tables; other processes see it in the journal", () => {
      const connect = shared()
      return Effect.gen(function* () {
        const { account, key } = yield* funded
        yield* settle(yield* reserved(account, key, 10), 7)
        const rowCounts = Effect.all([count("journal"), count("calls"), count("usage_sums")])
        expect(yield* visitor(connect, rowCounts)).toEqual([2, 0, 0])
        expect(yield* rowCounts).toEqual([0, 1, 3])
        expect(yield* visitor(connect, rowCounts)).toEqual([0, 1, 3])
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(ledgerOn(connect())))
    })

    it.effect("is checkpointed after a second", () => {
      const connect = shared()
      return Effect.gen(function* () {
        const { account, key } = yield* funded
        yield* settle(yield* reserved(account, key, 10), 7)
        yield* TestClock.adjust("1 second")
        expect(yield* visitor(connect, Effect.all([count("journal"), count("calls")]))).toEqual([0, 1])
      }).pipe(Effect.provide(ledgerOn(connect())))
    })

    it.effect("is checkpointed when 256 entries are pending", () => {
      const connect = shared()
      return Effect.gen(function* () {
        const { account, key } = yield* funded
        for (let i = 0; i < 256; i++) yield* reserved(account, key, 1)
        yield* Effect.andThen(tick, tick)
        expect(yield* visitor(connect, Effect.all([count("journal"), count("calls")]))).toEqual([0, 256])
      }).pipe(Effect.provide(ledgerOn(connect())))
    })

    it.effect("keeps open calls when it is full, once, unless they are most of its entries", () => {
      const connect = shared()
      const room = Effect.andThen(tick, tick)
      return Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        yield* accounts.changeKey(key, { budget: micro(100n) })
        const counts = visitor(connect, Effect.all([count("journal"), count("calls")]))
        const open = yield* reserved(account, key, 10)
        yield* settle(yield* reserved(account, key, 1), 1)
        yield* settle(yield* reserved(account, key, 1), 1)
        yield* room
        expect(yield* counts).toEqual([1, 2])
        expect(yield* reserve(account, key, 89)).toBe("balance_reserved")
        yield* settle(open, 7)
        const second = yield* reserved(account, key, 20)
        yield* settle(yield* reserved(account, key, 1), 1)
        yield* reserved(account, key, 1)
        yield* room
        expect(yield* counts).toEqual([1, 4])
        for (let i = 0; i < 2; i++) yield* settle(yield* reserved(account, key, 1), 1)
        yield* reserved(account, key, 1)
        yield* room
        // Those that were kept before are in the tables, and one that is new is kept.
        expect(yield* counts).toEqual([1, 8])
        yield* visitor(connect, LedgerSql.checkpoint)
        expect(yield* counts).toEqual([0, 9])
        yield* settle(second, 3)
        for (let i = 0; i < 4; i++) yield* reserved(account, key, 1)
        yield* room
        expect((yield* counts)[0]).toBe(0)
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 15n, reserved: 6n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(ledgerOn(connect())), Effect.provideService(MaxPending, 5))
    })

    it.effect("is checkpointed once, even if another process does it first", () => {
      const connect = shared()
      return Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const open = yield* reserved(account, key, 10)
        yield* settle(yield* reserved(account, key, 10), 7)
        yield* visitor(connect, LedgerSql.checkpoint)
        expect(yield* visitor(connect, Effect.all([count("journal"), count("calls")]))).toEqual([0, 2])
        yield* settle(open, 5)
        yield* visitor(connect, LedgerSql.checkpoint)
        yield* visitor(connect, LedgerSql.checkpoint)
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 12n, reserved: 0n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(ledgerOn(connect())))
    })

    it.effect("respects what another process has changed meanwhile", () => {
      const connect = shared()
      return Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        yield* reserved(account, key, 10)
        const budget = (micros: number) =>
          visitor(
            connect,
            Effect.flatMap(SqlClient, (sql) => sql`UPDATE keys SET budget = ${micros} WHERE id = ${key}`)
          )
        yield* budget(19)
        expect(yield* reserve(account, key, 10)).toBe("balance_reserved")
        yield* budget(20)
        const second = yield* reserved(account, key, 10)
        expect(yield* reserve(account, key, 1)).toBe("balance_reserved")
        yield* settle(second, 1)
        yield* accounts.changeKey(key, { budget: micro(12n) })
        expect(yield* reserve(account, key, 2)).toBe("balance_reserved")
        expect(yield* reserve(account, key, 12)).toBe("over_budget")
        yield* reserved(account, key, 1)
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(ledgerOn(connect())))
    })

    it.effect("does not count a commit that failed", () => {
      const connect = shared()
      return Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const sql = yield* SqlClient
        yield* reserved(account, key, 10)
        yield* sql`CREATE TRIGGER refuse BEFORE INSERT ON journal BEGIN SELECT RAISE(ABORT, 'refused by the test'); END`
        for (let i = 0; i < 3; i++) expect(yield* reserve(account, key, 100)).toBe("billing_unavailable")
        yield* sql`DROP TRIGGER refuse`
        yield* reserved(account, key, 1)
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 0n, reserved: 11n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(ledgerOn(connect())))
    })

    it.effect("is kept while a checkpoint fails: readers see the tables of the last one, and writers fail", () => {
      const connect = shared()
      return Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const sql = yield* SqlClient
        const { balance } = yield* accounts.get(account)
        yield* sql`CREATE TRIGGER refuse BEFORE INSERT ON calls BEGIN SELECT RAISE(ABORT, 'refused by the test'); END`
        yield* settle(yield* reserved(account, key, 10), 7)
        expect(yield* Effect.all([count("journal"), count("calls")])).toEqual([2, 0])
        expect(yield* accounts.get(account)).toMatchObject({ balance, reserved: 0n })
        // It would leave less than was charged.
        const failed = yield* Effect.flip(accounts.adjust(account, -balance, "all of it"))
        expect(failed._tag).toBe("SqlError")
        expect((yield* Effect.flip(accounts.topUp(account, micro(1n), "one")))._tag).toBe("SqlError")
        expect(yield* reserve(account, key, 10)).toBe("billing_unavailable")
        yield* doesNotTouchLedger(sql`DROP TRIGGER refuse`)
        expect(yield* Effect.flip(accounts.adjust(account, -balance, "all of it"))).toMatchObject({
          reason: "conflict"
        })
        yield* reserved(account, key, 10)
        expect(yield* Effect.all([count("journal"), count("calls")])).toEqual([0, 2])
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(ledgerOn(connect())))
    })

    it.effect("hides no charge from another process that takes from the balance", () => {
      const connect = shared()
      return Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const { balance } = yield* accounts.get(account)
        const ledger = yield* Effect.context<Ledger>()
        yield* Effect.gen(function* () {
          const visiting = yield* Accounts
          const sql = yield* SqlClient
          // Charges between the other process's start and its statement.
          const charge = Effect.flatMap(reserved(account, key, 10), (call) => settle(call, 7)).pipe(
            Effect.provideContext(ledger)
          )
          yield* charge
          const blind = yield* Effect.flip(visiting.adjust(account, -balance, "all of it"))
          expect(blind).toMatchObject({ reason: "conflict", message: "The balance is changing; try again." })
          yield* LedgerSql.checkpointBeforeStatements
          yield* charge
          expect(yield* Effect.flip(visiting.adjust(account, -balance, "all of it"))).toMatchObject({
            reason: "conflict",
            message: `${account} has less than that available.`
          })
          yield* charge
          yield* visiting.adjust(account, 21n - balance, "all that is left")
          expect(yield* sql`SELECT balance FROM accounts`).toMatchObject([{ balance: 0 }])
        }).pipe(Effect.provide(accountsOn(connect()), { local: true }))
        expect(yield* reserve(account, key, 1)).toBe("insufficient_balance")
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(ledgerOn(connect())))
    })

    it.effect(
      "is flushed to disk by each commit that does more than reserve for calls without an idempotency key",
      () =>
        Effect.gen(function* () {
          const skipped: Array<boolean> = []
          const spy = Layer.effect(
            EmbeddedStore,
            Effect.map(Effect.serviceOption(EmbeddedStore), (found) => {
              const store = Option.getOrThrow(found)
              const transact: typeof store.transact = (transaction) => {
                skipped.push(transaction.skipFsync ?? false)
                return store.transact(transaction)
              }
              return { ...store, transact }
            })
          )
          const store = Layer.provideMerge(spy, single())
          yield* Effect.gen(function* () {
            const { account, key } = yield* funded
            const ledger = yield* Ledger
            const keyed = { id: "name", payload: "p", replay: false }
            const flags = Effect.fnUntraced(function* <A, E>(effect: Effect.Effect<A, E>) {
              skipped.length = 0
              const result = yield* effect
              return [result, [...skipped]] as const
            })
            const context = yield* Effect.context<Ledger>()
            const [call, reserving] = yield* flags(Effect.provideContext(reserved(account, key, 10), context))
            expect(reserving).toEqual([true])
            expect((yield* flags(ledger.reserve(exchange(account, key, 1), keyed)))[1]).toEqual([false])
            const both = [
              Effect.provideContext(settle(call, 1), context),
              ledger.reserve(exchange(account, key, 1), undefined)
            ]
            const [, together] = yield* flags(Effect.all(both, { concurrency: "unbounded" }))
            expect(together[0]).toBe(false)
            expect((yield* flags(TestClock.adjust("1 second")))[1]).toEqual([false])
          }).pipe(Effect.provide(ledgerOn(store)))
        }).pipe(Effect.scoped)
    )

    journalEquivalence(driver)
  })
}
