import { describe, expect, it } from "@effect/vitest"
import { Accounts } from "@tollgate/gateway"
import { PipelinedStore } from "@tollgate/gateway/driver"
import { PostgresClient } from "@tollgate/server/postgres"
import { until } from "@tollgate/testing/fleet/until"
import { differences, funded, ledgerOn, reserve, reserved, settle } from "@tollgate/testing/ledger/ledgerOn"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import { query } from "@tollgate/testing/store/query"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ConnectionError, SqlError } from "effect/sql/SqlError"

const lost = new SqlError({ reason: new ConnectionError({ cause: new Error("lost"), operation: "transact" }) })

describe.runIf(hasPostgres)("a commit whose reply is lost", () => {
  it.live("leaves no reservation open, and charges nothing twice", () =>
    Effect.gen(function* () {
      const address = yield* migratedDatabase
      let isLost = false
      const store = Layer.effectContext(
        Effect.map(Layer.build(PostgresClient.layer({ address })), (context) => {
          const { runAlone, transact } = Context.get(context, PipelinedStore)
          const losing = <A>(sent: Effect.Effect<A, SqlError>) =>
            Effect.flatMap(sent, (result): Effect.Effect<A, SqlError> => {
              if (!isLost) return Effect.succeed(result)
              isLost = false
              return Effect.fail(lost)
            })
          return Context.add(
            context,
            PipelinedStore,
            PipelinedStore.of({
              ...(runAlone === undefined ? {} : { runAlone: (statement) => losing(runAlone(statement)) }),
              transact: (transaction) => losing(transact(transaction))
            })
          )
        })
      )
      yield* Effect.gen(function* () {
        const { account, key } = yield* funded
        const call = yield* reserved(account, key, 10)
        isLost = true
        expect(yield* settle(call, 7)).toMatchObject({ state: "settled", micros: 7 })
        isLost = true
        expect(yield* reserve(account, key, 20)).toBe("billing_unavailable")
        yield* until(query("SELECT state FROM calls WHERE reserved = 20"), ([row]) => row?.["state"] === "refused")
        const accounts = yield* Accounts
        expect(yield* accounts.getKey(key)).toMatchObject({ spent: 7n, reserved: 0n })
        expect(yield* differences).toEqual([])
      }).pipe(Effect.provide(ledgerOn(store)))
    }).pipe(Effect.scoped)
  )
})
