import { connectionError } from "@tollgate/ledger/store/rows"
import { EmbeddedStore } from "@tollgate/gateway/driver"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import { DatabaseSync } from "node:sqlite"
import { makeConnection } from "./connection.ts"
import { sqlError } from "./error.ts"
import { FileWatch } from "./FileWatch.ts"
import { LockWait } from "./LockWait.ts"

export interface Options {
  /** A path, or `:memory:`. */
  readonly filename: string
  readonly readonly?: boolean | undefined
  /** How long a statement waits for another process's lock, without blocking the event loop. Default 5 seconds. */
  readonly busyTimeout?: Duration.Input | undefined
  /** Whether to refuse writes while the path leads to other files than those that are open. For long-lived programs. */
  readonly watchesFiles?: boolean | undefined
  /** The size of the statement cache. Default 512. */
  readonly preparedStatements?: number | undefined
}

/** 3.51.3 fixes a race between two connections that could corrupt a WAL database. */
const minimum = "3.51.3"

const compareVersions = new Intl.Collator("en", { numeric: true }).compare

export const isSupported = (version: string): boolean => compareVersions(version, minimum) >= 0

const open = (options: Options, busyTimeoutMillis: number): Effect.Effect<DatabaseSync, SqlError> =>
  Effect.suspend(() => {
    let db: DatabaseSync | undefined
    try {
      db = new DatabaseSync(options.filename, {
        readOnly: options.readonly ?? false,
        enableForeignKeyConstraints: true,
        enableDoubleQuotedStringLiterals: false,
        timeout: busyTimeoutMillis
      })
      const version = String(db.prepare("SELECT sqlite_version() AS v").get()?.["v"])
      const mode = options.readonly === true ? "wal" : db.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"]
      db.exec("PRAGMA synchronous = FULL")
      // Reads the file, so that a file that is not a database fails here and not in the first query.
      db.prepare("SELECT count(*) FROM sqlite_schema").get()
      // Only opening may block: from now on, `LockWait` waits.
      db.exec("PRAGMA busy_timeout = 0")
      const problem = !isSupported(version)
        ? `SQLite ${version} is older than ${minimum}`
        : mode !== "wal" && mode !== "memory"
          ? `the file system does not support write-ahead logging (journal mode ${String(mode)})`
          : undefined
      if (problem === undefined) return Effect.succeed(db)
      db.close()
      return Effect.fail(connectionError("open", `cannot open ${options.filename}: ${problem}`))
    } catch (cause) {
      if (db?.isOpen === true) db.close()
      return Effect.fail(sqlError(cause, "open", `cannot open ${options.filename}: `))
    }
  })

const make = Effect.fnUntraced(function* (options: Options) {
  const busyTimeoutMillis = Duration.toMillis(Duration.fromInputUnsafe(options.busyTimeout ?? "5 seconds"))
  const db = yield* Effect.acquireRelease(open(options, busyTimeoutMillis), (db) => Effect.sync(() => db.close()))
  const listeners: Array<() => void> = []
  const lock = new LockWait(busyTimeoutMillis)
  const files = options.watchesFiles === true ? new FileWatch(options.filename) : undefined
  if (files !== undefined) yield* Effect.forkScoped(files.forever)
  const connection = makeConnection(db, options.preparedStatements ?? 512, lock, files, () =>
    listeners.forEach((run) => run())
  )
  const acquirers = SqlClient.makeSqliteAcquirers({
    connection: Effect.succeed(connection),
    semaphore: Semaphore.makeUnsafe(1),
    isTransaction: (connection) => connection.isTransaction()
  })
  const sql = yield* SqlClient.make({
    ...acquirers,
    compiler: Statement.makeCompilerSqlite(),
    driver: "sqlite-node",
    spanAttributes: [["db.system.name", "sqlite"]],
    prepareTransactionControls: true,
    beginTransaction: options.readonly === true ? "BEGIN" : "BEGIN IMMEDIATE",
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`
  })
  // Synchronous work only has to wait for a transaction that is open.
  const exclusively: EmbeddedStore["Service"]["exclusively"] = (run) =>
    Effect.suspend(() => {
      const attempt = connection.attempt(run, () => exclusively(run))
      return db.isTransaction ? acquirers.borrower(() => attempt) : attempt
    })
  const embedded = EmbeddedStore.of({
    exclusively,
    transact: connection.transact,
    version: { text: "PRAGMA data_version", values: [] },
    beforeOutsideStatement: (run) => void listeners.push(run)
  })
  return Context.make(SqlClient.SqlClient, sql).pipe(Context.add(EmbeddedStore, embedded))
})

/**
 * One connection, one transaction at a time, durable at COMMIT.
 *
 * Integers are read as numbers; one beyond 2^53 is an error, never rounded. Under
 * `Effect.provideService(SqlClient.SafeIntegers, true)` every integer is read as a bigint.
 */
export const layer = (options: Options): Layer.Layer<SqlClient.SqlClient | EmbeddedStore, SqlError> =>
  Layer.effectContext(make(options)).pipe(Layer.provide(Reactivity.layer))
