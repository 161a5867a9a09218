import { describe, expect, it } from "@effect/vitest"
import { micro, nano } from "@tollgate/contract/Money"
import { Accounts, CallLog, CallLogSql, Ledger, Usage, UsageSql } from "@tollgate/gateway"
import type { Reservation } from "@tollgate/ledger/ledger/Ledger"
import { foldUsage } from "@tollgate/ledger/commit/postgres/foldUsage"
import * as Rows from "@tollgate/ledger/store/rows"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { costing, differences, exchange, funded, ledgerOn } from "../ledger/ledgerOn.ts"
import type { Driver } from "./Driver.ts"
import { query } from "./query.ts"

const day = 86_400_000
const origin = 1_000 * day

const started = Effect.fnUntraced(function* (account: string, key: string, model?: string, cap?: number) {
  const asked = exchange(account, key, 10_000, undefined, cap, model)
  const result = yield* Ledger.use((ledger) => ledger.reserve(asked, undefined))
  return result.kind === "reserved" ? result.reservation : yield* Effect.die(result.kind)
})

/** Settles a call. Cost is in nano-USD. */
const settle = (reservation: Reservation, micros: number, cost: bigint | undefined, provider = "up") =>
  Ledger.use((ledger) =>
    ledger.settle(
      reservation,
      { ...costing(micros), ...(cost === undefined ? {} : { cost: nano(cost) }) },
      { provider }
    )
  )

const marginOf = (account?: string, days = 1) =>
  Usage.use((usage) =>
    usage.margin({
      start_time: origin / 1000,
      end_time: (origin + days * day) / 1000,
      ...(account === undefined ? {} : { account })
    })
  )

/** What an upstream charges, beside what callers pay. */
export const costSuite = (driver: Driver): void => {
  const layer = () =>
    Layer.mergeAll(UsageSql.layer, CallLogSql.layer).pipe(Layer.provideMerge(ledgerOn(driver.single())))

  const fold = SqlClient.use((sql) => foldUsage(Rows.make(sql)))

  describe("what upstreams charge", () => {
    it.effect("is added up by day, account, operation, model and upstream, losses too, and the audit proves it", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(origin + 1_000)
        const { account, accounts, key } = yield* funded
        const other = (yield* accounts.create("other")).id
        const otherKey = (yield* accounts.createKey(other, {})).id
        yield* settle(yield* started(account, key, "m1"), 1_000, 700_400n)
        yield* settle(yield* started(account, key, "m1"), 1_000, 1_500_200n, "dear")
        // A cap limits the charge, and not the cost.
        yield* settle(yield* started(account, key, "m2", 50), 100, 90_000n)
        yield* settle(yield* started(account, key, "m2"), 40, undefined)
        yield* TestClock.setTime(origin + day + 1_000)
        yield* settle(yield* started(other, otherKey), 10, 0n)

        const { by_account, by_model, by_operation, by_upstream, days, totals } = yield* marginOf(undefined, 2)
        expect(totals).toEqual({
          charged_micros_usd: 2_100,
          without_cost_micros_usd: 40,
          costed_requests: 4,
          costed_micros_usd: 2_060,
          cost_micros_usd: 2_291,
          cost_nano_usd: "2290600",
          margin_micros_usd: -231
        })
        expect(days.map((each) => [each.start_time, each.charged_micros_usd, each.cost_nano_usd])).toEqual([
          [origin / 1000, 2_090, "2290600"],
          [origin / 1000 + 86_400, 10, "0"]
        ])
        const shown = (groups: typeof by_model) =>
          groups.map(({ id, label, totals: { cost_nano_usd, margin_micros_usd, without_cost_micros_usd } }) => [
            label === id ? id : `${id} ${label}`,
            cost_nano_usd,
            margin_micros_usd,
            without_cost_micros_usd
          ])
        expect(shown(by_model)).toEqual([
          ["m1", "2200600", -201, 0],
          ["m2", "90000", -40, 40],
          ["", "0", 10, 0]
        ])
        expect(shown(by_upstream)).toEqual([
          ["up", "790400", 270, 0],
          ["dear", "1500200", -500, 0]
        ])
        expect(shown(by_operation)).toEqual([["rerank", "2290600", -231, 40]])
        expect(shown(by_account)).toEqual([
          [`${account} test`, "2290600", -241, 40],
          [`${other} other`, "0", 10, 0]
        ])
        expect((yield* marginOf(other, 2)).totals).toMatchObject({ charged_micros_usd: 10, costed_requests: 1 })
        expect((yield* marginOf("acct_unknown", 2)).totals).toMatchObject({ charged_micros_usd: 0, costed_requests: 0 })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("is shown to operators with a call, and to its caller nowhere", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(origin + 1_000)
        const { account, key } = yield* funded
        const call = yield* started(account, key, "m1")
        yield* settle(call, 1_000, 1_234_567n)
        const unknown = yield* started(account, key, "m1")
        yield* settle(unknown, 1_000, undefined)
        const log = yield* CallLog
        const seen = [yield* log.story({ account, key }, call.call), yield* log.calls({ account, key }, {})]
        expect(JSON.stringify(seen)).not.toMatch(/cost_nano|margin|1234567/)
        expect(yield* log.operatorStory(account, call.call)).toEqual({
          ...(yield* log.story({ account }, call.call)),
          account,
          cost_nano_usd: "1234567",
          margin_nano_usd: "-234567"
        })
        const { cost_nano_usd, margin_nano_usd } = yield* log.operatorStory(account, unknown.call)
        expect([cost_nano_usd, margin_nano_usd]).toEqual([null, null])
        const usage = yield* Usage
        const window = { start_time: origin / 1000 }
        const reports = [yield* usage.report({ account, key }, window), yield* usage.series({ account, key }, window)]
        expect(JSON.stringify(reports)).not.toMatch(/cost_nano|margin|1234/)
      }).pipe(Effect.provide(layer()))
    )

    it.effect("counts once for a call that was unknown and ended after all, and not at all if it was not charged", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(origin + 1_000)
        const { account, key } = yield* funded
        const ledger = yield* Ledger
        const late = yield* started(account, key)
        yield* ledger.markUnknown(late, { provider: "up" })
        expect((yield* marginOf()).totals.costed_requests).toBe(0)
        yield* settle(late, 5, 4_000n)
        yield* settle(late, 5, 4_000n)
        yield* ledger.release(yield* started(account, key), 500, undefined, { provider: "up" })
        expect((yield* marginOf()).totals).toMatchObject({ costed_requests: 1, cost_nano_usd: "4000" })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("writes nothing for calls of upstreams without prices", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        yield* settle(yield* started(account, key), 5, undefined)
        yield* fold
        expect(yield* query("SELECT * FROM cost_sums")).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("stays exact beyond what a number holds", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(origin + 1_000)
        const { account, accounts, key } = yield* funded
        yield* accounts.adjust(account, micro(10n ** 15n), "large")
        const most = 1_000_000_000_000_001n
        for (let i = 0; i < 20; i++) yield* settle(yield* started(account, key), 1_000_000_007, most)
        const { totals } = yield* marginOf()
        expect(totals).toMatchObject({ cost_nano_usd: String(20n * most), charged_micros_usd: 20_000_000_140 })
        expect(BigInt(totals.margin_micros_usd)).toBe(20_000_000_140n - 20_000_000_000_000n)
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("is found wrong by the audit if a total or a call was changed", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(origin + 1_000)
        const { account, key } = yield* funded
        yield* settle(yield* started(account, key, "m1"), 5, 4_000n)
        yield* fold
        const sql = yield* SqlClient
        const found = Effect.map(differences, (all) => all.map(({ column, table }) => `${table}.${column}`))
        yield* sql`UPDATE cost_sums SET cost_nano = cost_nano + 1`
        expect(yield* differences).toEqual([
          {
            table: "cost_sums",
            column: "cost_nano",
            id: `${origin} ${account} rerank m1 up`,
            stored: 4_001n,
            expected: 4_000n
          }
        ])
        yield* sql`DELETE FROM cost_sums`
        expect(yield* found).toEqual(["cost_sums.requests", "cost_sums.charged", "cost_sums.cost_nano"])
        yield* sql`UPDATE calls SET cost_nano = -1`
        expect(yield* found).toContain("calls.cost_nano")
        yield* sql`UPDATE calls SET cost_nano = 1, state = 'released'`
        expect(yield* found).toContain("calls.cost_nano")
      }).pipe(Effect.provide(layer()))
    )

    it.effect("of more groups than are shown is in one more", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(origin + 1_000)
        const { account } = yield* funded
        const accounts = yield* Accounts
        const keys = yield* Effect.forEach(Array.from({ length: 5 }), () => accounts.createKey(account, {}))
        for (let i = 0; i < 230; i++) {
          yield* settle(yield* started(account, keys[i % 5]!.id, `m${i}`), 10, 2_000n, `up${i}`)
        }
        const { by_model, by_upstream, totals } = yield* marginOf()
        for (const groups of [by_model, by_upstream]) {
          expect(groups).toHaveLength(201)
          expect(groups.at(-1)).toMatchObject({ id: "other", totals: { costed_requests: 30, cost_nano_usd: "60000" } })
        }
        expect(totals).toMatchObject({ costed_requests: 230, margin_micros_usd: 1_840 })
      }).pipe(Effect.provide(layer()))
    )
  })
}
