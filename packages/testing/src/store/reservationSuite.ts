import { describe, expect, it } from "@effect/vitest"
import { nano } from "@tollgate/contract/Money"
import { Ledger } from "@tollgate/gateway"
import { periodStart } from "@tollgate/ledger/ledger/Balance"
import type { PipelinedStore } from "@tollgate/ledger/store/Transaction"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as TestClock from "effect/testing/TestClock"
import { exchange, funded, ledgerOn } from "../ledger/ledgerOn.ts"
import type { Driver, Store } from "./Driver.ts"
import { query } from "./query.ts"
import { withoutFunction } from "./withoutFunction.ts"

const day = 86_400_000
const now = 40 * day + 5

interface Owner {
  readonly balance?: number
  readonly reserved?: number
  readonly budget?: number
  readonly spent?: number
  /** What calls under way have reserved of budget and quota. */
  readonly keyReserved?: number
  readonly quota?: number
  readonly quotaSpent?: number
  readonly quotaFrom?: number
  readonly period?: "day" | "month"
}

/** What is there, what the call can cost (`free`: its price is zero), and what is decided. */
const cases: ReadonlyArray<readonly [owner: Owner, amount: number | "free", decided: string]> = [
  [{ balance: 10 }, 10, "reserved"],
  [{ balance: 10 }, 11, "insufficient_balance"],
  [{ balance: 1 }, 0, "reserved"],
  [{ balance: 0 }, 0, "insufficient_balance"],
  [{ balance: -3 }, 0, "insufficient_balance"],
  [{ balance: -3 }, "free", "reserved"],
  [{ balance: 10, reserved: 4 }, 6, "reserved"],
  [{ balance: 10, reserved: 4 }, 7, "balance_reserved"],
  [{ balance: 10, reserved: 10 }, 0, "reserved"],
  [{ balance: 10, reserved: 12 }, 0, "balance_reserved"],
  [{ balance: 10, reserved: 12 }, 11, "insufficient_balance"],
  [{ budget: 10 }, 10, "reserved"],
  [{ budget: 10 }, 11, "over_budget"],
  [{ budget: 10, spent: 9 }, 1, "reserved"],
  [{ budget: 10, spent: 10 }, 0, "over_budget"],
  [{ budget: 10, spent: 13 }, "free", "reserved"],
  [{ budget: 10, spent: 3, keyReserved: 4 }, 3, "reserved"],
  [{ budget: 10, spent: 3, keyReserved: 4 }, 4, "balance_reserved"],
  [{ budget: 10, spent: 3, keyReserved: 4 }, 8, "over_budget"],
  [{ budget: 0 }, 0, "over_budget"],
  [{ quota: 10 }, 10, "reserved"],
  [{ quota: 10 }, 11, "quota_exceeded"],
  [{ quota: 10, quotaSpent: 10 }, 0, "quota_exceeded"],
  [{ quota: 10, quotaSpent: 9 }, 0, "reserved"],
  [{ quota: 10, quotaSpent: 3, keyReserved: 4 }, 4, "balance_reserved"],
  // A new period has its own quota. While the clock stands before the period in force, that one counts.
  [{ quota: 10, quotaSpent: 10, quotaFrom: 39 * day }, 10, "reserved"],
  [{ quota: 10, quotaSpent: 10, quotaFrom: 31 * day, period: "month" }, 1, "quota_exceeded"],
  [{ quota: 10, quotaSpent: 10, quotaFrom: 0, period: "month" }, 10, "reserved"],
  [{ quota: 10, quotaSpent: 10, quotaFrom: 41 * day }, 1, "quota_exceeded"],
  // Of two reasons the quota's comes first, then the budget's; money that may come back is told last.
  [{ balance: 0, budget: 5, spent: 5, quota: 5, quotaSpent: 5 }, 1, "quota_exceeded"],
  [{ balance: 0, budget: 5, spent: 5 }, 1, "over_budget"],
  [{ balance: 5, reserved: 5, budget: 5, spent: 5 }, 1, "over_budget"],
  [{ balance: 0, budget: 9, keyReserved: 9 }, 1, "insufficient_balance"]
]

const decide = Effect.fnUntraced(function* (owner: Owner, amount: number | "free") {
  const { account, key } = yield* funded
  const { balance = 1_000, budget = "NULL", period = "day", quota = "NULL", quotaFrom = 40 * day } = owner
  const { keyReserved = 0, quotaSpent = 0, reserved = 0, spent = 0 } = owner
  yield* query(`UPDATE accounts SET balance = ${balance}, reserved = ${reserved} WHERE id = '${account}'`)
  yield* query(
    `UPDATE keys SET budget = ${budget}, spent = ${spent}, reserved = ${keyReserved}, ${period}_budget = ${quota},` +
      ` day_from = ${quotaFrom}, month_from = ${periodStart("month", quotaFrom)}, ${period}_spent = ${quotaSpent}` +
      ` WHERE id = '${key}'`
  )
  const call =
    amount === "free"
      ? { ...exchange(account, key, 0), price: { contract: "per_request", amount: nano(0n) } as const }
      : exchange(account, key, amount)
  const decided = yield* Ledger.use((ledger) => ledger.reserve(call, undefined)).pipe(
    Effect.match({ onFailure: ({ refusal }) => String(refusal.code), onSuccess: ({ kind }) => kind })
  )
  const [row] = yield* query(
    `SELECT a.reserved, k.reserved AS key_reserved FROM accounts a JOIN keys k ON k.account = a.id WHERE k.id = '${key}'`
  )
  const taken = decided === "reserved" && amount !== "free" ? amount : 0
  expect([owner, row]).toEqual([owner, { reserved: reserved + taken, key_reserved: keyReserved + taken }])
  return decided
})

/** The rules of a reservation, by those in TypeScript and by the function of PostgreSQL. */
export const reservationSuite = ({ embedded, single }: Driver): void => {
  const rulesOnly = (store: Store) =>
    Layer.effectContext(
      Effect.map(Layer.build(store), (context) =>
        withoutFunction(context as Context.Context<SqlClient | PipelinedStore>)
      )
    )
  const ways: ReadonlyArray<readonly [name: string, store: () => Layer.Layer<SqlClient, SqlError>]> = embedded
    ? [["by the rules", single]]
    : [
        ["by the function", single],
        ["by the rules", () => rulesOnly(single())]
      ]
  describe("a reservation", () => {
    for (const [name, store] of ways) {
      it.effect(`is decided by what is left of balance, budget and quota, ${name}`, () =>
        Effect.gen(function* () {
          yield* TestClock.setTime(now)
          const decided = yield* Effect.forEach(cases, ([owner, amount]) =>
            Effect.map(decide(owner, amount), (decided) => [owner, amount, decided])
          )
          expect(decided).toEqual(cases)
        }).pipe(Effect.provide(ledgerOn(store())))
      )
    }
  })
}
