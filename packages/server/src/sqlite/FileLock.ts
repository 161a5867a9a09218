import { attempt } from "@tollgate/contract/attempt"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { hostname } from "node:os"
import { DatabaseSync } from "node:sqlite"
import { isBusy } from "./error.ts"

/** Another process holds the lock. */
export class FileLocked extends Data.TaggedError("FileLocked")<{
  readonly path: string
  /** Who holds it, if that could be read. */
  readonly holder: string | undefined
}> {}

/** The file cannot be created or locked. */
export class LockFailed extends Data.TaggedError("LockFailed")<{ readonly message: string }> {}

const self = `process ${process.pid} on ${hostname()}`

/** Others may read the file while a write transaction is open. */
const readHolder = (db: DatabaseSync): string | undefined =>
  attempt(() => {
    const name = db.prepare("SELECT name FROM holder").get()?.["name"]
    return typeof name === "string" ? name : undefined
  })

/** Commits the name of this process, then opens the transaction that is the lock. */
const lock = (db: DatabaseSync): void => {
  for (;;) {
    db.exec("BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS holder (name TEXT NOT NULL); DELETE FROM holder")
    db.prepare("INSERT INTO holder VALUES (?)").run(self)
    db.exec("COMMIT; BEGIN IMMEDIATE")
    if (readHolder(db) === self) return
    // Between the two transactions, another process wrote its name.
    db.exec("ROLLBACK")
  }
}

/** Enough for another process that only reads who holds the lock. */
const timeoutMillis = 100

const acquire = (path: string) =>
  Effect.suspend((): Effect.Effect<DatabaseSync, FileLocked | LockFailed> => {
    let db: DatabaseSync | undefined
    try {
      db = new DatabaseSync(path, { timeout: timeoutMillis })
      lock(db)
      return Effect.succeed(db)
    } catch (cause) {
      const holder = db?.isOpen === true ? readHolder(db) : undefined
      if (db?.isOpen === true) db.close()
      if (isBusy(cause)) return Effect.fail(new FileLocked({ path, holder }))
      return Effect.fail(new LockFailed({ message: `cannot lock ${path}: ${String(cause)}` }))
    }
  })

/**
 * Holds a lock on a file while the scope is open, or fails. It is a lock of the operating system, by way of an open
 * SQLite transaction, so it ends with the process, even after `kill -9`.
 */
export const hold = (path: string): Effect.Effect<void, FileLocked | LockFailed, Scope> =>
  Effect.asVoid(Effect.acquireRelease(acquire(path), (db) => Effect.sync(() => db.close())))
