import { describe, expect, it } from "@effect/vitest"
import { Accounts, Ledger } from "@tollgate/gateway"
import { PipelinedStore } from "@tollgate/gateway/driver"
import { PostgresClient } from "@tollgate/server/postgres"
import { until } from "@tollgate/testing/fleet/until"
import { differences, exchange, funded, ledgerOn, reserve, reserved, settle } from "@tollgate/testing/ledger/ledgerOn"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import { query } from "@tollgate/testing/store/query"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { ConnectionError, SqlError } from "effect/sql/SqlError"

const lost = new SqlError({ reason: new ConnectionError({ cause: new Error("lost"), operation: "transact" }) })

/** A store that loses one reply: of the next commit, or of the next that `names` a text. */
const losing = (address: Redacted.Redacted) => {
  let names: string | undefined
  const losingOf = <A>(sent: Effect.Effect<A, SqlError>, isNamed: (text: string) => boolean) =>
    Effect.flatMap(sent, (result): Effect.Effect<A, SqlError> => {
      if (names === undefined || !isNamed(names)) return Effect.succeed(result)
      names = undefined
      return Effect.fail(lost)
    })
  const store = Layer.effectContext(
    Effect.map(Layer.build(PostgresClient.layer({ address })), (context) => {
      const { runAlone, transact } = Context.get(context, PipelinedStore)
      return Context.add(
        context,
        PipelinedStore,
        PipelinedStore.of({
          runAlone: (statement) =>
            losingOf(runAlone(statement), (text) => statement.values.some((value) => `${value}`.includes(text))),
          transact: (transaction) => losingOf(transact(transaction), (text) => text === "")
        })
      )
    })
  )
  return { store, loseNext: (text = "") => void (names = text) }
}

describe.runIf(hasPostgres)("a commit whose reply is lost", () => {
  it.live("leaves no reservation open, and charges nothing twice", () =>
    Effect.gen(function* () {
      const address = yield* migratedDatabase
      const { loseNext, store } = losing(address)
      yield* Effect.gen(function* () {
        const { account, key } = yield* funded
        const call = yield* reserved(account, key, 10)
        loseNext()
        expect(yield* settle(call, 7)).toMatchObject({ state: "settled", micros: 7 })
        loseNext()
        expect(yield* reserve(account, key, 20)).toBe("billing_unavailable")
        yield* until(query("SELECT state FROM calls WHERE reserved = 20"), ([row]) => row?.["state"] === "refused")
        const accounts = yield* Accounts
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 7n, reserved: 0n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(ledgerOn(store)))
    }).pipe(Effect.scoped)
  )

  it.live("leaves no call behind that was committed with others under an idempotency key", () =>
    Effect.gen(function* () {
      const address = yield* migratedDatabase
      const { loseNext, store } = losing(address)
      yield* Effect.gen(function* () {
        const { account, key } = yield* funded
        const ledger = yield* Ledger
        const calls = ["first", "second", "third"]
        loseNext("third")
        // The first is committed at once, the others together.
        const results = yield* Effect.forEach(
          calls,
          (call) =>
            ledger.reserve(exchange(account, key, 20, call), { id: `id of ${call}`, payload: "", replay: true }),
          { concurrency: "unbounded" }
        )
        expect(results.map(({ kind }) => kind)).toEqual(["reserved", "reserved", "reserved"])
        for (const result of results) {
          if (result.kind === "reserved") yield* settle(result.reservation, 7)
        }
        const accounts = yield* Accounts
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 21n, reserved: 0n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(ledgerOn(store)))
    }).pipe(Effect.scoped)
  )
})
