import { describe, expect, it } from "@effect/vitest"
import { Ledger } from "@tollgate/gateway"
import * as Sweeper from "@tollgate/ledger/commit/Sweeper"
import * as Rows from "@tollgate/ledger/store/rows"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { costing, differences, exchange, funded, ledgerOn, reserve, settle } from "../ledger/ledgerOn.ts"
import type { Driver } from "./Driver.ts"
import { count, query } from "./query.ts"

const day = 86_400_000
const claim = { id: "claim", payload: "p", replay: true }

const alone = { isAlone: true, owner: () => "owner" }

const reserveKeyed = (account: string, key: string) =>
  Ledger.use((ledger) => ledger.reserve(exchange(account, key, 10), claim))

const reserveAndSettle = Effect.fnUntraced(function* (account: string, key: string) {
  const result = yield* reserveKeyed(account, key)
  if (result.kind === "reserved") yield* settle(result.reservation, 5)
  return result.kind
})

export const idempotencySuite = ({ single }: Driver): void => {
  const layer = () => ledgerOn(single())

  describe("a stored answer", () => {
    it.effect("is replayed to a call in the same commit", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        const first = yield* reserveKeyed(account, key)
        if (first.kind !== "reserved") return yield* Effect.die(first.kind)
        // The first of the three is committed alone, the others together.
        const [, charge, second] = yield* Effect.all(
          [reserve(account, key, 1), settle(first.reservation, 5), reserveKeyed(account, key)],
          { concurrency: "unbounded" }
        )
        expect(charge).toMatchObject({ state: "settled", micros: 5 })
        expect(second).toMatchObject({ kind: "replay", charge })
        // Also when it is read again from the store.
        expect(yield* reserveKeyed(account, key)).toMatchObject({ kind: "replay", charge })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("has the headers of the answer, whatever they hold, from the same commit and from the store", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        const headers = {
          link: '<https://a.example/?p=2>; rel="next"',
          etag: 'W/"\\,{}NULL"',
          "x-empty": "",
          "x-latin": "é"
        }
        const first = yield* reserveKeyed(account, key)
        if (first.kind !== "reserved") return yield* Effect.die(first.kind)
        const settled = costing(5)
        const [, , second] = yield* Effect.all(
          [
            reserve(account, key, 1),
            Ledger.use((ledger) =>
              ledger.settle(first.reservation, { ...settled, answer: { ...settled.answer, headers } })
            ),
            reserveKeyed(account, key)
          ],
          { concurrency: "unbounded" }
        )
        expect(second).toMatchObject({ kind: "replay", answer: { headers } })
        expect(yield* reserveKeyed(account, key)).toMatchObject({ kind: "replay", answer: { headers } })
        expect(yield* Ledger.use((ledger) => ledger.answerOf(first.reservation.call))).toMatchObject({ headers })
        yield* Ledger.use((ledger) => ledger.keepAnswer("another", { ...settled.answer, headers }))
        expect(yield* Ledger.use((ledger) => ledger.answerOf("another"))).toMatchObject({ headers })
      }).pipe(Effect.provide(layer()))
    )

    it.effect("is deleted when another call takes its key, 24 h later", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        expect(yield* reserveAndSettle(account, key)).toBe("reserved")
        yield* TestClock.setTime(day - 1)
        expect(yield* reserveAndSettle(account, key)).toBe("replay")
        yield* TestClock.setTime(day)
        expect(yield* reserveAndSettle(account, key)).toBe("reserved")
        // The replay is a call of its own.
        expect([yield* count("answers"), yield* count("idempotency"), yield* count("calls")]).toEqual([1, 1, 3])
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("is deleted by the sweeper together with its expired claim; others stay", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        const sql = yield* SqlClient
        yield* reserveAndSettle(account, key)
        yield* sql`INSERT INTO idempotency VALUES ('later', 'p', 'another', ${day + 1})`
        yield* sql`INSERT INTO answers VALUES ('another', 200, NULL, NULL, ${new Uint8Array()})`
        const { sweep } = Sweeper.make(Rows.make(sql), () => Effect.void, alone, yield* Sweeper.Sweeping)
        yield* TestClock.setTime(day - 1)
        yield* sweep
        expect([yield* count("answers"), yield* count("idempotency")]).toEqual([2, 2])
        yield* TestClock.setTime(day)
        yield* sweep
        expect(yield* query("SELECT call FROM answers")).toEqual([{ call: "another" }])
        expect(yield* query("SELECT call FROM idempotency")).toEqual([{ call: "another" }])
      }).pipe(Effect.provide(layer()))
    )

    it.effect("without a claim is deleted at the next start", () =>
      Effect.gen(function* () {
        const { account, key } = yield* funded
        const sql = yield* SqlClient
        yield* reserveAndSettle(account, key)
        yield* sql`INSERT INTO answers VALUES ('orphan', 200, NULL, NULL, ${new Uint8Array()})`
        yield* Sweeper.make(Rows.make(sql), () => Effect.void, alone, yield* Sweeper.Sweeping).recover
        expect(yield* count("answers")).toBe(1)
      }).pipe(Effect.provide(layer()))
    )
  })
}
