import { describe, expect, it } from "@effect/vitest"
import { Ledger } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { differences, exchange, funded, ledgerOn, reserved, settle } from "../ledger/ledgerOn.ts"
import type { Driver } from "./Driver.ts"
import { query } from "./query.ts"

export const countingSuite = ({ single }: Driver): void => {
  const layer = () => ledgerOn(single())

  describe("a request", () => {
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
