import { afterAll } from "@effect/vitest"
import { byTestClock } from "@tollgate/testing/limits/Driver"
import { limitsSuite } from "@tollgate/testing/limits/limitsSuite"
import { postgresLimits } from "@tollgate/testing/limits/postgres"
import { sharedSuite } from "@tollgate/testing/limits/sharedSuite"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { describe } from "vitest"

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

describe.runIf(hasPostgres)("a real server", () => {
  const once = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) =>
    Effect.runSync(Effect.cached(Scope.provide(effect, scope)))
  const driver = once(Effect.map(migratedDatabase, postgresLimits))
  const first = once(Effect.flatMap(driver, ({ join }) => join))

  limitsSuite("limits in PostgreSQL", { layer: byTestClock(first), runs: 3 })
  sharedSuite("limits in PostgreSQL", driver)
})
