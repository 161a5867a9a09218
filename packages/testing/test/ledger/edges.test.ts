import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { Ledger } from "@tollgate/gateway"
import * as Sweeper from "@tollgate/gateway/ledger/Sweeper"
import * as Rows from "@tollgate/gateway/store/rows"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { differences, exchange, funded, layer, reserve, reserved, settle } from "@tollgate/testing/ledger/store"

const day = 86_400_000

describe("a call", () => {
  it.effect("that is settled again costs what it cost, once", () =>
    Effect.gen(function* () {
      const { account, accounts, key } = yield* funded
      const call = yield* reserved(account, key, 10)
      const first = yield* settle(call, 7)
      expect(first).toEqual({ state: "settled", micros: 7n })
      expect(yield* settle(call, 9)).toEqual(first)
      expect(yield* accounts.getKey(key)).toMatchObject({ spent: 7n, reserved: 0n })
      const twice = yield* reserved(account, key, 10)
      const charges = yield* Effect.all([settle(twice, 5), settle(twice, 6)], { concurrency: 2 })
      expect(charges).toEqual([
        { state: "settled", micros: 5n },
        { state: "settled", micros: 5n }
      ])
      expect(yield* accounts.getKey(key)).toMatchObject({ spent: 12n, reserved: 0n })
      expect(yield* differences).toEqual([])
    }).pipe(Effect.provide(layer))
  )

  it.effect("that is held and settled in one commit is settled, and one that is released stays so", () =>
    Effect.gen(function* () {
      const { account, accounts, key } = yield* funded
      const ledger = yield* Ledger
      const held = yield* reserved(account, key, 10)
      const [, charge] = yield* Effect.all([ledger.markUnknown(held), settle(held, 4)], { concurrency: 2 })
      expect(charge).toEqual({ state: "settled", micros: 4n })
      const released = yield* reserved(account, key, 10)
      yield* ledger.release(released, 500)
      expect(yield* settle(released, 4)).toEqual({ state: "none" })
      expect(yield* accounts.getKey(key)).toMatchObject({ spent: 4n, reserved: 0n })
      expect(yield* differences).toEqual([])
    }).pipe(Effect.provide(layer))
  )

  it.effect("costs no more than was set aside", () =>
    Effect.gen(function* () {
      const { account, accounts, key } = yield* funded
      expect(yield* settle(yield* reserved(account, key, 10), 11)).toEqual({ state: "settled", micros: 10n })
      expect(yield* accounts.getKey(key)).toMatchObject({ spent: 10n, reserved: 0n })
      expect(yield* differences).toEqual([])
    }).pipe(Effect.provide(layer))
  )

  it.effect("is paid for from its purse also when its key was revoked meanwhile", () =>
    Effect.gen(function* () {
      const { account, accounts, key } = yield* funded
      const call = yield* reserved(account, key, 10)
      yield* accounts.revokeKey(key)
      yield* settle(call, 3)
      expect(yield* accounts.getKey(key)).toMatchObject({ spent: 3n, reserved: 0n })
      expect(yield* differences).toEqual([])
    }).pipe(Effect.provide(layer))
  )
})

describe("a key", () => {
  it.effect("that is gone from the store spends nothing more, whatever its budget was", () =>
    Effect.gen(function* () {
      const { account, accounts, key } = yield* funded
      yield* accounts.changeKey(key, { budget: micro(0n) })
      yield* SqlClient.use((sql) => sql`DELETE FROM keys WHERE id = ${key}`)
      expect(yield* reserve(account, key, 10)).toBe("invalid_credential")
      // A credential that is no key spends from the account alone.
      expect(yield* reserve(account, "", 10)).toMatchObject({ amount: 10n })
      expect(yield* differences).toEqual([])
    }).pipe(Effect.provide(layer))
  )

  it.effect("whose budget is set below what is spent has nothing left, not less", () =>
    Effect.gen(function* () {
      const { account, accounts, key } = yield* funded
      yield* settle(yield* reserved(account, key, 10), 10)
      const open = yield* reserved(account, key, 5)
      yield* accounts.changeKey(key, { budget: micro(4n) })
      const refused = yield* Ledger.use((ledger) => Effect.flip(ledger.reserve(exchange(account, key, 1), undefined)))
      expect(refused.refusal).toMatchObject({
        code: "over_budget",
        message: expect.stringMatching(/budget has 0 USD left/)
      })
      // What was promised before is still paid for.
      expect(yield* settle(open, 5)).toEqual({ state: "settled", micros: 5n })
      expect(yield* accounts.getKey(key)).toMatchObject({ spent: 15n, budget: 4n, reserved: 0n })
      expect(yield* differences).toEqual([])
    }).pipe(Effect.provide(layer))
  )
})

describe("a clock that goes back over the end of a period", () => {
  it.effect("forgets nothing that was spent in the later one", () =>
    Effect.gen(function* () {
      const { account, accounts, key } = yield* funded
      yield* accounts.changeKey(key, { quota: { amount: micro(10n), period: "day" } })
      yield* TestClock.setTime(day)
      yield* settle(yield* reserved(account, key, 8), 8)
      yield* TestClock.setTime(day - 1)
      expect(yield* reserve(account, key, 3)).toBe("quota_exceeded")
      const early = yield* reserved(account, key, 2)
      yield* settle(early, 2)
      yield* TestClock.setTime(day + 1)
      expect(yield* reserve(account, key, 3)).toBe("quota_exceeded")
      expect(yield* reserve(account, key, 2)).toMatchObject({ amount: 2n })
      expect(yield* differences).toEqual([])
    }).pipe(Effect.provide(layer))
  )
})

describe("an answer that is kept for replays", () => {
  const rowsIn = Effect.fnUntraced(function* (table: string) {
    const sql = yield* SqlClient
    const [row] = yield* sql.unsafe<{ readonly n: number }>(`SELECT COUNT(*) AS n FROM ${table}`)
    return row?.n
  })
  const keep = Effect.fnUntraced(function* (account: string, key: string) {
    const claim = { id: "claim", payload: "p", replay: true }
    const result = yield* Ledger.use((ledger) => ledger.reserve(exchange(account, key, 10), claim))
    if (result.kind === "reserved") yield* settle(result.reservation, 5)
    return result.kind
  })

  it.effect("is given to a call that shares the commit it comes with", () =>
    Effect.gen(function* () {
      const { account, key } = yield* funded
      const claim = { id: "claim", payload: "p", replay: true }
      const ask = Ledger.use((ledger) => ledger.reserve(exchange(account, key, 10), claim))
      const first = yield* ask
      if (first.kind !== "reserved") return yield* Effect.die(first.kind)
      // The first of the three is committed alone, the others together.
      const [, charge, second] = yield* Effect.all([reserve(account, key, 1), settle(first.reservation, 5), ask], {
        concurrency: "unbounded"
      })
      expect([charge.state, second.kind]).toEqual(["settled", "replay"])
      expect(yield* differences).toEqual([])
    }).pipe(Effect.provide(layer))
  )

  it.effect("goes when its claim is taken by another call, a day later", () =>
    Effect.gen(function* () {
      const { account, key } = yield* funded
      expect(yield* keep(account, key)).toBe("reserved")
      yield* TestClock.setTime(day - 1)
      expect(yield* keep(account, key)).toBe("replay")
      yield* TestClock.setTime(day)
      expect(yield* keep(account, key)).toBe("reserved")
      expect([yield* rowsIn("answers"), yield* rowsIn("idempotency"), yield* rowsIn("calls")]).toEqual([1, 1, 2])
      expect(yield* differences).toEqual([])
    }).pipe(Effect.provide(layer))
  )

  it.effect("goes with its claim when the ledger is swept, and no other does", () =>
    Effect.gen(function* () {
      const { account, key } = yield* funded
      const sql = yield* SqlClient
      yield* keep(account, key)
      yield* sql`INSERT INTO idempotency VALUES ('later', 'p', 'another', ${day + 1})`
      yield* sql`INSERT INTO answers VALUES ('another', 200, NULL, ${new Uint8Array()})`
      const { sweep } = Sweeper.make(Rows.make(sql), () => Effect.void, "owner", yield* Sweeper.Sweeping)
      yield* TestClock.setTime(day - 1)
      yield* sweep
      expect([yield* rowsIn("answers"), yield* rowsIn("idempotency")]).toEqual([2, 2])
      yield* TestClock.setTime(day)
      yield* sweep
      expect(yield* sql`SELECT call FROM answers`).toEqual([{ call: "another" }])
      expect(yield* sql`SELECT call FROM idempotency`).toEqual([{ call: "another" }])
    }).pipe(Effect.provide(layer))
  )

  it.effect("that lost its claim before it came goes at the next start", () =>
    Effect.gen(function* () {
      const { account, key } = yield* funded
      const sql = yield* SqlClient
      yield* keep(account, key)
      yield* sql`INSERT INTO answers VALUES ('orphan', 200, NULL, ${new Uint8Array()})`
      for (const exclusive of [true, false]) {
        const options = { ...(yield* Sweeper.Sweeping), exclusive }
        yield* Sweeper.make(Rows.make(sql), () => Effect.void, "owner", options).recover
        expect(yield* rowsIn("answers"), String(exclusive)).toBe(1)
        yield* sql`INSERT INTO answers VALUES ('orphan', 200, NULL, ${new Uint8Array()})`
      }
    }).pipe(Effect.provide(layer))
  )
})
