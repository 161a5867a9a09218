import { afterAll } from "@effect/vitest"
import { PostgresClient } from "@tollgate/server/postgres"
import { emptyDatabase, hasPostgres, onEmptyDatabase, onMigratedDatabase } from "@tollgate/testing/store/postgres"
import { smokeSuite, storeSuite } from "@tollgate/testing/store/storeSuite"
import { isAll } from "@tollgate-tooling/programs/counts.ts"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { describe } from "vitest"

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

describe.runIf(hasPostgres)("a real server", () => {
  const suite = isAll ? storeSuite : smokeSuite
  suite("PostgreSQL", {
    embedded: false,
    single: () => onEmptyDatabase(),
    migrated: onMigratedDatabase,
    histories: 15,
    shared: () => {
      const address = Effect.runSync(Effect.cached(Scope.provide(emptyDatabase, scope)))
      return () => Layer.unwrap(Effect.map(address, (address) => PostgresClient.layer({ address })))
    }
  })
})
