import { describe, expect, it } from "@effect/vitest"
import { Ledger } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { differences, exchange, funded, ledgerOn, reserved, settle } from "../ledger/ledgerOn.ts"
import type { Driver } from "./Driver.ts"
import { query } from "./query.ts"

export const countingSuite = ({ single }: Driver): void => {
  const layer = () => ledgerOn(single())

  const totalsBy = (column: string) =>
    query(
      `SELECT ${column} AS id, SUM(requests) AS requests, SUM(failed_requests) AS failed, SUM(charged) AS charged` +
        ` FROM operation_sums WHERE span = 86400000 GROUP BY ${column} ORDER BY ${column}`
    )

  describe("a request", () => {
    it.effect("is counted under its operation and model, also if its end is corrected or replayed", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        const ledger = yield* Ledger
        const start = (model?: string, claim?: string) =>
          ledger.reserve(
            exchange(account, key, 10, undefined, undefined, model),
            claim === undefined ? undefined : { id: claim, payload: "p", replay: true }
          )
        const begun = Effect.fnUntraced(function* (model?: string, claim?: string) {
          const result = yield* start(model, claim)
          return result.kind === "reserved" ? result.reservation : yield* Effect.die(result.kind)
        })
        yield* settle(yield* begun("m 1", "claim"), 4)
        expect((yield* start("m 1", "claim")).kind).toBe("replay")
        const lost = yield* begun("m 2")
        yield* ledger.markUnknown(lost)
        // The totals are read, so that the end is a correction of stored rows.
        expect(yield* totalsBy("model")).toMatchObject([{ id: "m 1" }, { id: "m 2", failed: 1 }])
        yield* TestClock.adjust("1 day")
        yield* settle(lost, 3)
        yield* ledger.refuse(yield* begun("m 3"))
        yield* ledger.release(yield* begun(), 500)
        expect(yield* totalsBy("model")).toEqual([
          { id: "", requests: 1, failed: 1, charged: 0 },
          { id: "m 1", requests: 2, failed: 0, charged: 4 },
          { id: "m 2", requests: 1, failed: 0, charged: 3 }
        ])
        expect(yield* totalsBy("operation")).toEqual([{ id: "rerank", requests: 4, failed: 1, charged: 7 }])
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("that names yet another model, or an odd one, is counted without a name", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const other = (yield* accounts.createKey(account, {})).id
        const ledger = yield* Ledger
        const use = Effect.fnUntraced(function* (key: string, model: string) {
          const result = yield* ledger.reserve(exchange(account, key, 1, undefined, undefined, model), undefined)
          if (result.kind === "reserved") yield* ledger.release(result.reservation, 400)
        })
        const names = query("SELECT key, COUNT(DISTINCT model) AS n FROM operation_sums GROUP BY key")
        for (const odd of ["", "m".repeat(201), "a\u0000b", "line\nbreak", "\uD83D"]) yield* use(key, odd)
        expect(yield* totalsBy("model")).toMatchObject([{ id: "", requests: 5 }])
        yield* use(key, "m".repeat(200))
        for (let i = 0; i < 200; i++) yield* use(key, `invented ${i}`)
        yield* use(key, "invented 3")
        expect(yield* names).toEqual([{ key, n: 65 }])
        expect(yield* totalsBy("model")).toContainEqual({ id: "invented 3", requests: 2, failed: 2, charged: 0 })
        // Neither another key nor another day has to do with it.
        yield* use(other, "invented 100")
        yield* TestClock.adjust("1 day")
        yield* use(key, "invented 101")
        expect((yield* totalsBy("model")).map(({ id }) => id)).toEqual(
          expect.arrayContaining(["invented 100", "invented 101"])
        )
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("is counted once: when it is marked unknown, and corrected if it is settled after all", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        const ledger = yield* Ledger
        const counts = query(
          "SELECT start, SUM(requests) AS requests, SUM(failed_requests) AS failed, SUM(charged) AS charged" +
            " FROM usage_sums WHERE span = 60000 GROUP BY start ORDER BY start"
        )
        const settledLater = yield* reserved(account, key, 10)
        const releasedLater = yield* reserved(account, key, 10)
        yield* ledger.markUnknown(settledLater)
        yield* ledger.markUnknown(releasedLater)
        expect(yield* counts).toEqual([{ start: 0, requests: 2, failed: 2, charged: 0 }])
        yield* TestClock.adjust("2 minutes")
        expect(yield* settle(settledLater, 12)).toEqual({ state: "settled", micros: 12 })
        yield* ledger.release(releasedLater, 500)
        expect(yield* counts).toEqual([{ start: 0, requests: 2, failed: 1, charged: 12 }])
        expect(yield* query("SELECT state, ended_at, failed FROM calls ORDER BY state")).toEqual([
          { state: "released", ended_at: 0, failed: 1 },
          { state: "settled", ended_at: 0, failed: 0 }
        ])
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("that the gateway refuses after all is not counted, and frees its key", () =>
      Effect.gen(function* () {
        const { account, accounts, key } = yield* funded
        const ledger = yield* Ledger
        const claim = { id: "claim", payload: "p", replay: false }
        for (let i = 0; i < 2; i++) {
          const result = yield* ledger.reserve(exchange(account, key, 10), claim)
          if (result.kind !== "reserved") return yield* Effect.die(result.kind)
          yield* ledger.refuse(result.reservation)
        }
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 0n, reserved: 0n })
        expect(yield* query("SELECT * FROM usage_sums")).toEqual([])
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("that is answered from an earlier one counts as a request and costs nothing", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        const ledger = yield* Ledger
        const claim = { id: "claim", payload: "p", replay: true }
        const result = yield* ledger.reserve(exchange(account, key, 10), claim)
        if (result.kind !== "reserved") return yield* Effect.die(result.kind)
        yield* settle(result.reservation, 4)
        expect((yield* ledger.reserve(exchange(account, key, 10), claim)).kind).toBe("replay")
        expect(yield* query("SELECT requests, failed_requests, charged FROM account_sums WHERE span = 60000")).toEqual([
          { requests: 2, failed_requests: 0, charged: 4 }
        ])
        expect(yield* query("SELECT state, reserved, charged FROM calls ORDER BY charged")).toEqual([
          { state: "replayed", reserved: 0, charged: 0 },
          { state: "settled", reserved: 10, charged: 4 }
        ])
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )
  })
}
