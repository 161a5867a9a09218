import { LedgerSql, migrate, Audit } from "@tollgate/gateway"
import { NodeSqliteClient } from "@tollgate/server"
import * as Rows from "@tollgate/ledger/store/rows"
import { factName } from "@tollgate/ledger/trail/Trail"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DatabaseSync } from "node:sqlite"
import { PostgresClient } from "@tollgate/server/postgres"
import { isReadonlyArrayNonEmpty } from "effect/Array"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { createHash } from "node:crypto"
import * as dataFolder from "../dataFolder.ts"
import { SettingsError } from "../../settings/Settings.ts"
import { movedName, readMoved, readProgress, writeProgress } from "../marks.ts"
import * as Print from "../../terminal/print.ts"
import { fail } from "../../terminal/print.ts"
import { withProgress } from "../../terminal/progress.ts"
import type { Place } from "../layer.ts"
import { type Checksum, checksum, movedTables, partsOf, readBatch, type Row, type Table } from "./Table.ts"

const failed = (data: string) => (cause: unknown) =>
  new SettingsError({ message: `TOLLGATE_DATA: cannot use the store in ${data}: ${String(cause)}` })

const attempt = <A>(data: string, run: () => A) => Effect.try({ try: run, catch: failed(data) })

/** An open write transaction: commands cannot write either until the scope closes. */
const stopWriters = (data: string) =>
  Effect.acquireRelease(
    attempt(data, () => {
      const db = new DatabaseSync(dataFolder.databaseIn(data), { timeout: 5_000 })
      db.exec("PRAGMA synchronous = FULL; BEGIN IMMEDIATE")
      return db
    }),
    (db) => Effect.sync(() => db.close())
  )

/** Brings the tables of an embedded store up to date, without a gateway beside it. */
const prepare = (data: string) =>
  Effect.provide(
    Effect.andThen(migrate, LedgerSql.checkpoint),
    NodeSqliteClient.layer({ filename: dataFolder.databaseIn(data) })
  )

/** An embedded store that nobody writes while the scope is open. */
const openSource = Effect.fnUntraced(function* (data: string) {
  yield* dataFolder.hold(data)
  yield* prepare(data)
  const db = yield* stopWriters(data)
  const context = yield* Layer.build(NodeSqliteClient.layer({ filename: dataFolder.databaseIn(data), readonly: true }))
  return {
    read: Effect.provide(context),
    /** The only write: which store this one was moved to. */
    markMoved: (target: string) =>
      attempt(data, () => {
        db.prepare(
          "INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        ).run(movedName, target)
        db.exec("COMMIT")
      })
  }
})

type InStore = <A, E>(effect: Effect.Effect<A, E, SqlClient>) => Effect.Effect<A, E>

const copyPart = Effect.fnUntraced(function* (
  table: Table,
  where: string | undefined,
  source: InStore,
  target: InStore
) {
  let last: Row | undefined
  for (;;) {
    const rows = yield* source(readBatch(table, where, last))
    if (isReadonlyArrayNonEmpty(rows)) {
      yield* target(SqlClient.use((sql) => sql`INSERT INTO ${sql(table.name)} ${sql.insert(rows)}`))
    }
    last = rows.at(-1)
    if (last === undefined || rows.length < table.batch) return
  }
})

/** Where the trail ends. The other facts are of the store itself. */
const trailFact = <A>(use: (rows: Rows.Rows) => Effect.Effect<A, SqlError>) =>
  SqlClient.use((sql) => use(Rows.make(sql)))

const digest = (value: Uint8Array): string => createHash("sha256").update("tollgate move\n").update(value).digest("hex")

const checkLedger = Effect.fnUntraced(function* (which: string) {
  const { differences, totals } = yield* Audit.run
  if (differences.length > 0) {
    return yield* fail(`The ledger ${which} has ${differences.length} differences; tollgate audit lists them.`)
  }
  return totals
})

const checksums = (tables: ReadonlyArray<Table>) =>
  Effect.forEach(tables, (table) => Effect.map(checksum(table), (sum) => [table.name, sum] as const))

/** Nothing but a started move of this store may be in the target. */
const begin = Effect.fnUntraced(function* (store: string, target: string, tables: ReadonlyArray<Table>) {
  const sql = yield* SqlClient
  const [gateway] = yield* sql<{ readonly name: string }>`SELECT name FROM gateways LIMIT 1`
  if (gateway !== undefined) return yield* fail(`A gateway (${gateway.name}) uses ${target}; stop it first.`)
  const found = yield* readProgress
  if (found !== undefined && found.store !== store) {
    return yield* fail(`${target} holds a move of another store; use an empty database.`)
  }
  if (found?.isDone === true) {
    return yield* fail(
      `This store was moved to ${target} before. To go on there, set TOLLGATE_STORE to it; to move the embedded store as it is now, use an empty database.`
    )
  }
  if (found === undefined) {
    for (const { name } of tables) {
      const [row] = yield* sql`SELECT 1 FROM ${sql(name)} LIMIT 1`
      if (row !== undefined) return yield* fail(`${target} is not empty: its table ${name} has rows.`)
    }
  } else {
    yield* Print.line("A move was cut; it begins again.")
  }
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql.unsafe(`TRUNCATE ${tables.map(({ name }) => `"${name}"`).join(", ")}`)
      yield* writeProgress({ store, isDone: false })
    })
  )
})

const compare = (
  before: ReadonlyArray<readonly [string, Checksum]>,
  after: ReadonlyArray<readonly [string, Checksum]>
) =>
  before.flatMap(([name, { rows, sum }], i) => {
    const copied = after[i]?.[1]
    if (copied?.rows === rows && copied.sum === sum) return []
    return [`${name} (${rows} rows, ${copied?.rows ?? 0} copied)`]
  })

const move = Effect.fnUntraced(function* (
  { data, secret: given }: Pick<Place, "data" | "secret">,
  address: Redacted.Redacted,
  target: string
) {
  const secret = yield* dataFolder.open(data, given)
  const source = yield* openSource(data)
  const moved = yield* source.read(readMoved)
  if (moved !== undefined && moved !== target) {
    return yield* fail(
      `This store was moved to ${moved} before. To go on there, set TOLLGATE_STORE to it; to give that move up, run tollgate move --undo first.`
    )
  }
  const postgres = yield* Layer.build(PostgresClient.layer({ address, statementTimeout: 0, maxConnections: 2 }))
  const inTarget = Effect.provide(postgres)
  yield* inTarget(migrate)

  yield* Print.line("Checking the ledger of the embedded store …")
  const totals = yield* withProgress("Checking", source.read(checkLedger("of the embedded store")))
  const tables = yield* source.read(movedTables)
  const before = yield* withProgress("Reading every row", source.read(checksums(tables)))
  const store = digest(Redacted.value(secret))
  yield* inTarget(begin(store, target, tables))

  for (const [i, table] of tables.entries()) {
    const copy = Effect.forEach(partsOf(table), (where) => copyPart(table, where, source.read, inTarget))
    yield* withProgress(`Copying ${table.name}`, copy)
    yield* Print.line(`${table.name}: ${before[i]?.[1].rows ?? 0} rows`)
  }

  const head = yield* source.read(trailFact((rows) => rows.fact(factName)))
  if (head !== undefined) yield* inTarget(trailFact((rows) => rows.setFact(factName, head)))

  yield* Print.line("Comparing every row, and checking the ledger in PostgreSQL …")
  const wrong = compare(before, yield* withProgress("Comparing", inTarget(checksums(tables))))
  if (wrong.length > 0) return yield* fail(`The copy differs in ${wrong.join(", ")}; empty the database and try again.`)
  yield* withProgress("Checking the ledger in PostgreSQL", inTarget(checkLedger("in PostgreSQL")))
  // In this order: if it is cut between the two, neither store is used until the move has run again.
  yield* source.markMoved(target)
  yield* inTarget(writeProgress({ store, isDone: true }))
  yield* Print.line(`Moved ${totals.accounts} accounts, ${totals.keys} keys and ${totals.calls} calls to ${target}.`)
  yield* Print.line(
    `Next: set TOLLGATE_STORE to that database, keep ${given === undefined ? dataFolder.secretIn(data) : "TOLLGATE_SECRET"}, and start the gateway.`
  )
  yield* Print.line(
    "The embedded store stays as it is, and no gateway starts on it. To use it again: tollgate move --undo"
  )
})

const unusable = ({ message }: Error) => fail(`Cannot move the store: ${message}`)

/** Copies an embedded store into an empty PostgreSQL database. A move that was cut begins again. */
export const moveTo = (place: Pick<Place, "data" | "secret">, address: Redacted.Redacted, target: string) =>
  Effect.scoped(move(place, address, target)).pipe(
    Effect.catchTags({ SqlError: unusable, MigrationError: unusable, SchemaUnknown: unusable })
  )
