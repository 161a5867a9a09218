import { describe, expect, it } from "@effect/vitest"
import { Accounts, LedgerSql } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { differences, funded, ledgerOn, reserved, settle } from "../ledger/ledgerOn.ts"
import type { Driver } from "./Driver.ts"
import { query } from "./query.ts"

export const crashSuite = ({ shared }: Driver): void => {
  describe("a gateway that was killed", () => {
    it.effect("has lost nothing: its charges stand, and its open calls are unknown to the next gateway", () =>
      Effect.gen(function* () {
        const connect = shared()
        // Its scope is never closed, so that none of its finalizers runs.
        const killed = yield* Layer.buildWithScope(ledgerOn(connect()), yield* Scope.make())
        const { key } = yield* Effect.gen(function* () {
          const owner = yield* funded
          yield* settle(yield* reserved(owner.account, owner.key, 10), 7)
          yield* reserved(owner.account, owner.key, 20)
          return owner
        }).pipe(Effect.provideContext(killed))
        const sums = query("SELECT span, operation, requests, charged FROM operation_sums ORDER BY span")
        const calls = query("SELECT state, reserved, charged FROM calls ORDER BY reserved")
        expect(yield* Effect.andThen(LedgerSql.checkpoint, calls).pipe(Effect.provide(connect()))).toEqual([
          { state: "settled", reserved: 10, charged: 7 },
          { state: "open", reserved: 20, charged: 0 }
        ])
        yield* Effect.gen(function* () {
          const accounts = yield* Accounts
          expect(yield* accounts.getKey(key)).toMatchObject({ spent: 7n, reserved: 0n })
          expect(yield* calls).toEqual([
            { state: "settled", reserved: 10, charged: 7 },
            { state: "unknown", reserved: 20, charged: 0 }
          ])
          expect(yield* sums).toEqual([
            { span: 3_600_000, operation: "rerank", requests: 2, charged: 7 },
            { span: 86_400_000, operation: "rerank", requests: 2, charged: 7 }
          ])
          expect(yield* differences).toEqual([])
        }).pipe(Effect.provide(ledgerOn(connect())))
      })
    )
  })
}
