import { isReadonlyArrayNonEmpty } from "effect/Array"
import { Apart, type Solitary, type Transaction } from "@tollgate/gateway/store/Transaction"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { SafeIntegers } from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite"
import { isSqliteError, sqlError } from "./error.ts"

export interface SqliteConnection extends Connection {
  readonly isTransaction: () => boolean
  readonly step: Solitary["exclusively"]
  readonly now: Solitary["now"]
}

const streamBatch = 128

/** `before` runs before each statement that is not `Apart`; not inside a transaction, before which it ran. */
export const makeConnection = (db: DatabaseSync, cacheSize: number, before: () => void): SqliteConnection => {
  const visit = (fiber: Fiber.Fiber<unknown, unknown>): void => {
    if (db.isTransaction) return
    waitForDisk(true)
    if (!fiber.getRef(Apart)) before()
  }

  /** What is written without is lost with the machine from its end: no part of it without what came before. */
  let isWaiting = true
  const waitForDisk = (isWanted: boolean): void => {
    if (isWaiting === isWanted) return
    db.exec(`PRAGMA synchronous = ${isWanted ? "FULL" : "NORMAL"}`)
    isWaiting = isWanted
  }
  const cache = new Map<string, StatementSync>()
  const prepared = (sql: string): StatementSync => {
    const known = cache.get(sql)
    if (known !== undefined) return known
    // To move each one that is used to the end would cost more than to prepare, now and then, one that is used again.
    if (cache.size >= cacheSize) for (const oldest of cache.keys()) if (cache.delete(oldest)) break
    const statement = db.prepare(sql)
    cache.set(sql, statement)
    return statement
  }

  const attempt = <A>(run: (safeIntegers: boolean) => A): Effect.Effect<A, SqlError> =>
    Effect.withFiber((fiber) => {
      try {
        visit(fiber)
        return Effect.succeed(run(fiber.getRef(SafeIntegers)))
      } catch (cause) {
        return Effect.fail(sqlError(cause, "execute"))
      }
    })

  /** In one step: a transaction is many statements. */
  const rows = (find: (sql: string) => StatementSync, sql: string, params: ReadonlyArray<unknown>) =>
    Effect.withFiber((fiber): Exit.Exit<ReadonlyArray<Record<string, SQLOutputValue>>, SqlError> => {
      let statement: StatementSync
      try {
        statement = find(sql)
      } catch (cause) {
        return Exit.fail(sqlError(cause, "prepare"))
      }
      try {
        visit(fiber)
        statement.setReadBigInts(fiber.getRef(SafeIntegers))
        return Exit.succeed(statement.all(...params.map(bind)))
      } catch (cause) {
        return Exit.fail(sqlError(cause, "execute"))
      }
    })

  const values = (find: (sql: string) => StatementSync, sql: string, params: ReadonlyArray<unknown>) =>
    attempt((safeIntegers) => {
      const statement = find(sql)
      statement.setReadBigInts(safeIntegers)
      statement.setReturnArrays(true)
      try {
        return statement.all(...params.map(bind)).map((row) => Object.values(row))
      } finally {
        statement.setReturnArrays(false)
      }
    })

  const step: Solitary["exclusively"] = (run) =>
    Effect.suspend(() => {
      try {
        return Effect.succeed(run())
      } catch (cause) {
        return isSqliteError(cause) ? Effect.fail(sqlError(cause, "transact")) : Effect.die(cause)
      }
    })

  const uncached = (sql: string) => db.prepare(sql)

  return {
    isTransaction: () => db.isTransaction,
    step,
    now: (transaction) => inTransaction(db, prepared, transaction, () => waitForDisk(transaction.mayWait !== true)),
    execute: (sql, params, transform) => transformed(rows(prepared, sql, params), transform),
    executeUnprepared: (sql, params, transform) => transformed(rows(uncached, sql, params), transform),
    executeRaw: (sql, params) =>
      attempt((safeIntegers) => {
        const statement = prepared(sql)
        statement.setReadBigInts(safeIntegers)
        return statement.columns().length > 0 ? statement.all(...params.map(bind)) : statement.run(...params.map(bind))
      }),
    executeValues: (sql, params) => values(prepared, sql, params),
    executeValuesUnprepared: (sql, params) => values(uncached, sql, params),
    executeStream: (sql, params, transform) =>
      // A statement of its own: the cached one could be run again while its rows are still being read.
      Stream.unwrap(
        attempt((safeIntegers) => {
          const statement = db.prepare(sql)
          statement.setReadBigInts(safeIntegers)
          const iterator = statement.iterate(...params.map(bind))
          const pull = Effect.flatMap(
            attempt(() => take(iterator, streamBatch)),
            (batch) => {
              const out = transform === undefined ? batch : transform(batch)
              return isReadonlyArrayNonEmpty(out) ? Effect.succeed(out) : Cause.done()
            }
          )
          return Stream.ensuring(
            Stream.fromPull(Effect.succeed(pull)),
            Effect.sync(() => iterator.return?.())
          )
        })
      )
  }
}

/** Where this fails, the next transaction tries it again before anything else. */
const undo = (db: DatabaseSync): void => {
  try {
    if (db.isTransaction) db.exec("ROLLBACK")
  } catch {}
}

const inTransaction = <A>(
  db: DatabaseSync,
  prepared: (sql: string) => StatementSync,
  { decide, onWritten, reads }: Transaction<A>,
  beforehand: () => void
): A => {
  if (db.isTransaction) db.exec("ROLLBACK")
  beforehand()
  prepared("BEGIN IMMEDIATE").run()
  try {
    const found = reads.map((read) => {
      if (read === undefined) return []
      const statement = prepared(read.text)
      statement.setReadBigInts(true)
      return statement.all(...read.values.map(bind))
    })
    const { result, writes } = decide(found)
    for (const { text, values } of writes) prepared(text).run(...values.map(bind))
    onWritten()
    prepared("COMMIT").run()
    return result
  } catch (cause) {
    undo(db)
    throw cause
  }
}

const take = <A>(iterator: Iterator<A>, count: number): Array<A> => {
  const out: Array<A> = []
  while (out.length < count) {
    const next = iterator.next()
    if (next.done === true) break
    out.push(next.value)
  }
  return out
}

const transformed = <A extends object>(
  effect: Effect.Effect<ReadonlyArray<A>, SqlError>,
  transform: (<B extends object>(rows: ReadonlyArray<B>) => ReadonlyArray<B>) | undefined
): Effect.Effect<ReadonlyArray<A>, SqlError> => (transform === undefined ? effect : Effect.map(effect, transform))

/** `node:sqlite` binds every number as REAL; a whole number is meant as INTEGER, or `? / 2` would not be whole. */
const bind = (value: unknown): SQLInputValue => {
  switch (typeof value) {
    case "string":
    case "bigint":
      return value
    case "number":
      return Number.isSafeInteger(value) ? BigInt(value) : value
    case "boolean":
      return value ? 1n : 0n
    case "undefined":
      return null
    default:
      if (value === null || value instanceof Uint8Array) return value
      if (value instanceof Date) return value.toISOString()
      throw new TypeError(`a ${typeof value} cannot be bound to a statement`)
  }
}
