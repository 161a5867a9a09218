import { migrate } from "@tollgate/gateway"
import { PostgresClient } from "@tollgate/server/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Scope } from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { isAll } from "@tollgate-tooling/programs/counts.ts"
import { onDemand } from "@tollgate-tooling/programs/onDemand.ts"
import { inject } from "vitest"
import type { Store } from "./Driver.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly postgres: boolean
  }
}

/** False: no PostgreSQL is installed, and the set-up of the tests has said so. */
export const hasPostgres = inject("postgres")

/** What `pnpm test` tries on SQLite alone, `pnpm test:all` tries here too. */
export const alsoOnPostgres = hasPostgres && isAll

let databases = 0

const onServer = (statement: string): Effect.Effect<string, SqlError> =>
  Effect.flatMap(
    Effect.promise(() => onDemand("postgres")),
    (url) =>
      SqlClient.use((sql) => sql.unsafe(statement)).pipe(
        Effect.as(url),
        Effect.provide(PostgresClient.layer({ address: Redacted.make(`${url}/postgres`), maxConnections: 1 }))
      )
  )

const make = (template: string) =>
  Effect.suspend(() => {
    const name = `test_${process.pid}_${++databases}`
    return Effect.map(onServer(`CREATE DATABASE ${name} TEMPLATE ${template}`), (url) => ({
      name,
      address: Redacted.make(`${url}/${name}`)
    }))
  })

const scoped = (template: string): Effect.Effect<Redacted.Redacted, SqlError, Scope> =>
  Effect.map(
    Effect.acquireRelease(make(template), ({ name }) => Effect.orDie(onServer(`DROP DATABASE ${name} WITH (FORCE)`))),
    ({ address }) => address
  )

/** The address of an empty database, which is deleted with the scope. */
export const emptyDatabase = scoped("template1")

/** Stays until the server ends. */
const migratedTemplate = Effect.runSync(
  Effect.cached(
    Effect.tap(make("template1"), ({ address }) =>
      Effect.provide(Effect.orDie(migrate), PostgresClient.layer({ address, maxConnections: 1 }))
    )
  )
)

/** An empty database for one client. */
export const onEmptyDatabase = (options: Omit<PostgresClient.Options, "address"> = {}): Store =>
  Layer.unwrap(Effect.map(emptyDatabase, (address) => PostgresClient.layer({ ...options, address })))

/** The address of a database with all tables, which is deleted with the scope. */
export const migratedDatabase = Effect.flatMap(migratedTemplate, ({ name }) => scoped(name))

/** A database with all tables for one client. */
export const onMigratedDatabase = (): Store =>
  Layer.unwrap(Effect.map(migratedDatabase, (address) => PostgresClient.layer({ address })))
