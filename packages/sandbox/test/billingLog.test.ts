import { describe, expect, it } from "@effect/vitest"
import { BillingLog } from "@tollgate/sandbox"
import * as Effect from "effect/Effect"

const bill = (tokens: number) => ({ operation: "rerank", body: { large: "x" }, billed: { tokens } })

describe("the billing log", () => {
  it.effect("hold what was billed, in order, without the answers", () =>
    Effect.gen(function* () {
      const billingLog = yield* BillingLog
      yield* Effect.forEach([3, 1, 2], (tokens) => billingLog.record(bill(tokens), undefined))
      expect(yield* billingLog.entries).toEqual([
        { operation: "rerank", billed: { tokens: 3 }, number: 1 },
        { operation: "rerank", billed: { tokens: 1 }, number: 2 },
        { operation: "rerank", billed: { tokens: 2 }, number: 3 }
      ])
      expect(yield* billingLog.count).toBe(3)
    }).pipe(Effect.provide(BillingLog.layerMemory()))
  )

  it.effect("keep only the last entries, and count all", () =>
    Effect.gen(function* () {
      const billingLog = yield* BillingLog
      for (let i = 1; i <= 57; i++) {
        yield* billingLog.record(bill(i), undefined)
        const entries = yield* billingLog.entries
        expect(entries.length).toBe(Math.min(i, 5))
        expect(entries.at(-1)).toMatchObject({ number: i, billed: { tokens: i } })
        expect(entries[0]?.number).toBe(Math.max(1, i - 4))
      }
      expect(yield* billingLog.count).toBe(57)
    }).pipe(Effect.provide(BillingLog.layerMemory(5)))
  )

  it.effect("a list of entries does not change after it is read", () =>
    Effect.gen(function* () {
      const billingLog = yield* BillingLog
      yield* billingLog.record(bill(1), undefined)
      const before = yield* billingLog.entries
      yield* billingLog.record(bill(2), undefined)
      expect(before).toHaveLength(1)
    }).pipe(Effect.provide(BillingLog.layerMemory()))
  )
})
