import { PipelinedStore, StorePool } from "@tollgate/gateway/driver"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import type { Acquirer, Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import { parse, shown } from "./address.ts"
import type { PostgresConnection } from "./connection.ts"
import { connectionError, sqlError } from "./error.ts"
import * as Pool from "./Pool.ts"
import { serversOf, type Timeouts } from "./session.ts"

export interface Options {
  /** `postgres://user:password@host:port/database?sslmode=…`. Of several `host:port`, the one that takes writes is used. */
  readonly address: Redacted.Redacted
  /** The most connections that are open. Default 10. */
  readonly maxConnections?: number | undefined
  /** How long to wait for a connection. Default 5 seconds. */
  readonly connectTimeout?: Duration.Input | undefined
  /** The longest statement. Default 30 seconds; 0 sets no limit. */
  readonly statementTimeout?: Duration.Input | undefined
  /** The longest pause of this process in a transaction, after which the server ends it. Default 60 seconds. */
  readonly idleInTransactionTimeout?: Duration.Input | undefined
}

const minimum = 15

const compiler = Statement.makeCompiler({
  dialect: "pg",
  placeholder: (index) => `$${index}`,
  onIdentifier: Statement.defaultEscape('"'),
  onRecordUpdate: (placeholders, alias, columns, values, returning) => [
    `(values ${placeholders}) AS ${alias}${columns}${returning ? ` RETURNING ${returning[0]}` : ""}`,
    returning ? values.flat().concat(returning[1]) : values.flat()
  ],
  onCustom: () => ["", []]
})

const millis = (given: Duration.Input | undefined, otherwise: Duration.Input): number =>
  Duration.toMillis(Duration.fromInputUnsafe(given ?? otherwise))

/** What is wrong with the server, if anything. */
const problemOf = (row: { readonly version?: unknown; readonly encoding?: unknown }): string | undefined => {
  const major = Math.floor(Number(row.version) / 10_000)
  if (major < minimum) return `PostgreSQL ${major} is older than ${minimum}`
  return row.encoding === "UTF8" ? undefined : `the database has the encoding ${String(row.encoding)}, not UTF8`
}

const sharedSessions =
  "a connection pooler in front of it gives its connections to others after each transaction; set pool_mode=session" +
  " in PgBouncer, or name the server itself"

/** Whether two sessions are served by one process: what belongs to a session, as LISTEN does, would be lost. */
const haveOneProcess = Effect.fnUntraced(function* (acquirer: Acquirer) {
  const sessions = [yield* acquirer, yield* acquirer]
  const ids = yield* Effect.forEach(sessions, (session) =>
    Effect.map(session.executeUnprepared("SELECT pg_backend_pid() AS id", [], undefined), ([row]) =>
      JSON.stringify(row)
    )
  )
  return new Set(ids).size < sessions.length
})

const make = Effect.fnUntraced(function* (options: Options) {
  const address = parse(options.address)
  if (Result.isFailure(address)) return yield* Effect.fail(connectionError("open", address.failure))
  const prefix = `cannot use PostgreSQL at ${shown(address.success)}: `
  const timeouts: Timeouts = {
    connectMillis: millis(options.connectTimeout, "5 seconds"),
    statementMillis: millis(options.statementTimeout, "30 seconds"),
    idleMillis: millis(options.idleInTransactionTimeout, "60 seconds")
  }
  const servers = yield* Effect.try({
    try: () => serversOf(address.success, timeouts),
    catch: (cause) => sqlError(cause, "open", prefix)
  })
  const pool = yield* Pool.make(servers, timeouts, options.maxConnections ?? 10)
  const sql = yield* SqlClient.make({
    acquirer: pool.acquirer,
    borrower: pool.borrower,
    compiler,
    driver: "pg",
    spanAttributes: [["db.system.name", "postgresql"]],
    commit: (connection: Connection) => (connection as PostgresConnection).commit,
    isTransaction: (connection: Connection) => (connection as PostgresConnection).isTransaction(),
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`
  })
  const [found = {}] = yield* sql<{ readonly version: number; readonly encoding: string }>`
    SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding`.pipe(
    Effect.mapError(({ cause }) => sqlError(cause, "open", prefix))
  )
  const problem = problemOf(found)
  if (problem !== undefined) return yield* Effect.fail(connectionError("open", prefix + problem))
  if ((options.maxConnections ?? 10) > 1 && (yield* Effect.scoped(haveOneProcess(pool.acquirer)))) {
    return yield* Effect.fail(connectionError("open", prefix + sharedSessions))
  }
  return Context.make(SqlClient.SqlClient, sql).pipe(
    Context.add(PipelinedStore, PipelinedStore.of({ transact: pool.transact, runAlone: pool.runAlone })),
    Context.add(StorePool, pool.stats)
  )
})

/**
 * A pool of connections. Each transaction has one to itself; a commit is durable as the server is configured.
 *
 * Integers are read as numbers; one beyond 2^53 is an error, never rounded. Under
 * `Effect.provideService(SqlClient.SafeIntegers, true)` every integer is read as a bigint.
 */
export const layer = (options: Options): Layer.Layer<SqlClient.SqlClient | PipelinedStore, SqlError> =>
  Layer.effectContext(make(options)).pipe(Layer.provide(Reactivity.layer))
