import { describe, expect, it } from "@effect/vitest"
import { underLease } from "@tollgate/ledger/fleet/lease"
import { PostgresClient } from "@tollgate/server/postgres"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"

describe.runIf(hasPostgres)("what one gateway does at a time", () => {
  it.live("is done by one, also after a failure or a gateway that died meanwhile", () =>
    Effect.gen(function* () {
      const address = yield* migratedDatabase
      const clients = yield* Effect.forEach(["a", "b"], () => Layer.build(PostgresClient.layer({ address })))
      const [first, second] = clients.map((client) => Context.get(client, SqlClient))
      if (first === undefined || second === undefined) return yield* Effect.die("unreachable")
      yield* first`INSERT INTO facts VALUES ('lease test', '5 left by a gateway that died')`
      let running = 0
      let most = 0
      const work = Effect.gen(function* () {
        most = Math.max(most, ++running)
        yield* Effect.sleep("5 millis")
        running--
        return yield* Effect.fail("it failed")
      })
      const errors = yield* Effect.all(
        Array.from({ length: 6 }, (_, i) =>
          Effect.flip(underLease(i % 2 === 0 ? first : second, "test", 60_000)(work))
        ),
        { concurrency: "unbounded" }
      )
      expect([most, new Set(errors)]).toEqual([1, new Set(["it failed"])])
      expect(yield* first`SELECT name FROM facts WHERE name LIKE 'lease%'`).toEqual([])
    }).pipe(Effect.scoped)
  )
})
