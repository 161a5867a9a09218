import { describe, expect, it } from "@effect/vitest"
import { Accounts, Ledger } from "@tollgate/gateway"
import { PostgresClient } from "@tollgate/server/postgres"
import { differences, funded, ledgerOn, reserved, settle } from "@tollgate/testing/ledger/ledgerOn"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import { query } from "@tollgate/testing/store/query"
import * as Effect from "effect/Effect"

/** What a replica has of a reservation that it had not got when it took over: nothing. */
const forget = Effect.gen(function* () {
  yield* query("UPDATE accounts SET reserved = 0")
  yield* query("UPDATE keys SET reserved = 0")
  yield* query("DELETE FROM calls WHERE state = 'open'")
})

const stateOf = Effect.map(query("SELECT state, charged, operation FROM calls"), (rows) => rows)

describe.runIf(hasPostgres)("a reservation that a replica lacks which took over", () => {
  it.live("is recorded anew by the end of its call, which is charged once", () =>
    Effect.gen(function* () {
      const address = yield* migratedDatabase
      yield* Effect.gen(function* () {
        const { account, key } = yield* funded
        const call = yield* reserved(account, key, 10)
        yield* forget
        expect(yield* settle(call, 7)).toMatchObject({ state: "settled", micros: 7 })
        expect(yield* settle(call, 7)).toMatchObject({ state: "settled", micros: 7 })
        expect(yield* stateOf).toMatchObject([{ state: "settled", charged: 7, operation: call.operation }])
        const accounts = yield* Accounts
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 7n, reserved: 0n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(ledgerOn(PostgresClient.layer({ address }))))
    }).pipe(Effect.scoped)
  )

  it.live("is unknown if its call may have run, and stays forgotten if nothing ran", () =>
    Effect.gen(function* () {
      const address = yield* migratedDatabase
      yield* Effect.gen(function* () {
        const { account, key } = yield* funded
        const ledger = yield* Ledger
        const released = yield* reserved(account, key, 10)
        yield* forget
        yield* ledger.release(released, 503)
        expect(yield* stateOf).toEqual([])
        const unknown = yield* reserved(account, key, 10)
        yield* forget
        yield* ledger.markUnknown(unknown)
        expect(yield* stateOf).toMatchObject([{ state: "unknown", charged: 0 }])
        const accounts = yield* Accounts
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 0n, reserved: 0n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(ledgerOn(PostgresClient.layer({ address }))))
    }).pipe(Effect.scoped)
  )
})
