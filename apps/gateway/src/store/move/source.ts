import { LedgerSql, migrate } from "@tollgate/gateway"
import { NodeSqliteClient } from "@tollgate/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DatabaseSync } from "node:sqlite"
import * as dataFolder from "../dataFolder.ts"
import { SettingsError } from "../../settings/Settings.ts"
import { movedName } from "../marks.ts"

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
export const openSource = Effect.fnUntraced(function* (data: string) {
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
