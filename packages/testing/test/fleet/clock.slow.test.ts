import { describe, expect, it } from "@effect/vitest"
import { makeClockWatch } from "@tollgate/ledger/fleet/Fleet"
import * as Sweeper from "@tollgate/ledger/commit/Sweeper"
import * as Rows from "@tollgate/ledger/store/rows"
import { hasPostgres, onMigratedDatabase } from "@tollgate/testing/store/postgres"
import { query } from "@tollgate/testing/store/query"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

const hour = 3_600_000

describe.runIf(hasPostgres)("a gateway whose clock is wrong", () => {
  it.effect("deletes no idempotency key that others still need", () =>
    Effect.gen(function* () {
      const now = Date.now()
      const claim = (id: string, endsAt: number) =>
        query(`INSERT INTO idempotency (id, payload, call, ends_at) VALUES ('${id}', '', '${id}', ${endsAt})`)
      yield* claim("over", now - hour)
      yield* claim("needed", now + hour)
      yield* TestClock.setTime(now + 48 * hour)
      const gateway = { isAlone: false, owner: () => "one" }
      const times = { openMillis: hour, everyMillis: hour }
      const sweeper = Sweeper.make(Rows.make(yield* SqlClient), () => Effect.void, gateway, times)
      yield* sweeper.sweep
      expect(yield* query("SELECT id FROM idempotency")).toEqual([{ id: "needed" }])
    }).pipe(Effect.provide(onMigratedDatabase()))
  )
})

it.effect("a clock that differs from the store's is told of once", () => {
  const lines: Array<unknown> = []
  const logger = Logger.make(({ message }) => void lines.push(message))
  return Effect.gen(function* () {
    const watch = makeClockWatch()
    yield* TestClock.setTime(10 * hour)
    yield* watch(10 * hour - 1_000)
    expect(lines).toEqual([])
    yield* watch(9 * hour)
    yield* watch(9 * hour)
    expect(lines).toEqual([["the clock of this machine differs from that of PostgreSQL; set it", { seconds: 3_600 }]])
  }).pipe(Effect.provide(Logger.layer([logger])))
})
