import { describe, expect, it } from "@effect/vitest"
import { nano } from "@tollgate/contract/Money"
import { CallLog, CallLogSql, Ledger, Usage, UsageSql } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { costing, funded, ledgerOn, reserved } from "../ledger/ledgerOn.ts"
import type { Driver } from "./Driver.ts"

const hour = 3_600_000
const day = 24 * hour

export const overviewSuite = ({ single }: Driver): void => {
  const layer = () => Layer.provideMerge(Layer.mergeAll(CallLogSql.layer, UsageSql.layer), ledgerOn(single()))

  const call = Effect.fnUntraced(function* (account: string, key: string, micros: number, millis: number) {
    const call = yield* reserved(account, key, 100)
    yield* TestClock.adjust(millis)
    const settled = { ...costing(micros), cost: nano(BigInt(micros) * 500n) }
    yield* Ledger.use((ledger) => ledger.settle(call, settled, { provider: "one", tried: undefined }))
    return call.call
  })

  describe("the operator's overview", () => {
    it.effect("has today, and the mean of the days before up to the same minute", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        const other = yield* funded
        const { overview } = yield* Usage
        const at = (days: number, millis: number) => TestClock.setTime(days * day + millis)
        yield* at(1, 0)
        expect(yield* overview).toMatchObject({ usual_days: 0, latency: null, accounts: [], overdrawn_accounts: 0 })
        // Nine days ago: too long. The day before yesterday: half of it before this time of day. Yesterday: all of it.
        yield* at(11, hour)
        yield* call(account, key, 90, 1)
        yield* at(18, 9 * hour)
        yield* call(account, key, 20, 1)
        yield* at(18, 11 * hour)
        yield* call(account, key, 20, 1)
        yield* at(19, 10 * hour + 60_000)
        yield* call(account, key, 40, 1)
        yield* at(20, hour)
        yield* call(account, key, 10, 100)
        yield* call(other.account, other.key, 50, 300)
        const ledger = yield* Ledger
        yield* ledger.markUnknown(yield* reserved(account, key, 1))
        yield* at(20, 10 * hour + 2 * 60_000 + 1)
        const found = yield* overview
        expect(found).toMatchObject({
          usual_days: 2,
          today: {
            requests: 3,
            failed_requests: 1,
            charged_micros_usd: 60,
            costed_micros_usd: 60,
            cost_micros_usd: 30,
            margin_micros_usd: 30
          },
          // Of 80 that both days were charged, 60 were by this time: as much of the cost, 40.
          usual: {
            requests: 1,
            charged_micros_usd: 30,
            costed_micros_usd: 30,
            cost_micros_usd: 15,
            margin_micros_usd: 15
          },
          accounts: [
            { id: other.account, label: "test", requests: 1, charged_micros_usd: 50, usual_charged_micros_usd: 0 },
            { id: account, requests: 2, failed_requests: 1, charged_micros_usd: 10, usual_charged_micros_usd: 30 }
          ],
          unknown_calls: 1,
          refused_calls: 0,
          calls_with_gaps: 0
        })
        expect(found.latency).toMatchObject({ calls: 3, failed: 1, p50_ms: 100, p95_ms: 300 })
        expect(found.latency?.operations).toMatchObject([{ operation: "rerank", calls: 3, p50_ms: 100 }])
      }).pipe(Effect.provide(layer()))
    )
  })

  describe("the operator's search", () => {
    it.effect("finds a call by its id, and accounts and keys by a part of id or label", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const acme = (yield* accounts.create("Acme 100%")).id
        const nightly = (yield* accounts.createKey(acme, { label: "Nightly" })).id
        const log = yield* CallLog
        const id = yield* call(account, key, 1, 1)
        const none = { calls: [], accounts: [], keys: [], grants: [] }
        expect(yield* log.search(id)).toEqual({ ...none, calls: [{ id, label: "rerank", account }] })
        expect(yield* log.search("ACME")).toEqual({
          ...none,
          accounts: [{ id: acme, label: "Acme 100%", account: acme }]
        })
        expect(yield* log.search("nightly")).toEqual({
          ...none,
          keys: [{ id: nightly, label: "Nightly", account: acme }]
        })
        expect((yield* log.search(acme)).accounts).toHaveLength(1)
        expect((yield* log.search("100%")).accounts).toHaveLength(1)
        for (const text of ["nothing", "1000%", "' OR 1=1 --", "a\u0000b", "x".repeat(300)]) {
          expect(yield* log.search(text)).toEqual(none)
        }
      }).pipe(Effect.provide(layer()))
    )
  })
}
