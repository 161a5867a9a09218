import { isReadonlyArrayNonEmpty } from "effect/Array"
import { DoesNotTouchLedger, type EmbeddedStore } from "@tollgate/gateway/driver"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { SafeIntegers } from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite"
import { isBusy, isSqliteError, sqlError } from "./error.ts"
import type { FileWatch } from "./FileWatch.ts"
import type { LockWait } from "./LockWait.ts"

export interface SqliteConnection extends Connection {
  readonly isTransaction: () => boolean
  /** Runs synchronous work and turns what SQLite throws into a failure. Waits with `again` for another process's lock. */
  readonly attempt: <A>(run: () => A, again: () => Effect.Effect<A, SqlError>) => Effect.Effect<A, SqlError>
  readonly transact: EmbeddedStore["Service"]["transact"]
}

const streamBatch = 128

/** Whether a statement may write, or begins a transaction that may. */
const mayWrite = (sql: string): boolean => !/^\s*(?:SELECT|PRAGMA|EXPLAIN|BEGIN\s*$)/i.test(sql)

/** `beforeForeign` runs before each foreign statement, or once before the transaction that it is in. */
export const makeConnection = (
  db: DatabaseSync,
  cacheSize: number,
  lock: LockWait,
  files: FileWatch | undefined,
  beforeForeign: () => void
): SqliteConnection => {
  const prepareOutside = (fiber: Fiber.Fiber<unknown, unknown>, sql: string): void => {
    if (db.isTransaction) return
    if (mayWrite(sql)) files?.check()
    setFsync(true)
    if (fiber.getRef(DoesNotTouchLedger)) return
    try {
      beforeForeign()
    } catch (cause) {
      // A statement that only reads goes on, but waits for a lock first.
      if (mayWrite(sql) || (isBusy(cause) && !lock.isOver(fiber))) throw cause
    }
  }

  /** Without fsync, a power loss drops the last commits. What remains is always a prefix. */
  let usesFsync = true
  const setFsync = (isWanted: boolean): void => {
    if (usesFsync === isWanted) return
    db.exec(`PRAGMA synchronous = ${isWanted ? "FULL" : "NORMAL"}`)
    usesFsync = isWanted
  }
  const cache = new Map<string, StatementSync>()
  const prepared = (sql: string): StatementSync => {
    const known = cache.get(sql)
    if (known !== undefined) return known
    // First in, first out: tracking the last use would cost more than preparing a statement again now and then.
    if (cache.size >= cacheSize) for (const oldest of cache.keys()) if (cache.delete(oldest)) break
    const statement = db.prepare(sql)
    cache.set(sql, statement)
    return statement
  }

  /** Runs a statement in one step: a transaction is many statements. */
  const foreign = <A>(sql: string, run: (safeIntegers: boolean) => A): Effect.Effect<A, SqlError> => {
    const effect: Effect.Effect<A, SqlError> = Effect.withFiber((fiber) => {
      let isInside = true
      try {
        isInside = db.isTransaction
        prepareOutside(fiber, sql)
        const result = run(fiber.getRef(SafeIntegers))
        if (lock.isSeen && mayWrite(sql)) lock.released()
        return Exit.succeed(result)
      } catch (cause) {
        const error = sqlError(cause, "execute")
        return isBusy(cause) && !isInside ? lock.retry(fiber, error, effect) : Exit.fail(error)
      }
    })
    return effect
  }

  type Find = (sql: string) => StatementSync

  const using = <A>(find: Find, sql: string, run: (statement: StatementSync) => A) =>
    foreign(sql, (safeIntegers) => {
      const statement = find(sql)
      statement.setReadBigInts(safeIntegers)
      return run(statement)
    })

  const rows = (find: Find, sql: string, params: ReadonlyArray<unknown>) =>
    using(find, sql, (statement): ReadonlyArray<Record<string, SQLOutputValue>> => statement.all(...params.map(bind)))

  const values = (find: Find, sql: string, params: ReadonlyArray<unknown>) =>
    using(find, sql, (statement) => {
      statement.setReturnArrays(true)
      try {
        return statement.all(...params.map(bind)).map((row) => Object.values(row))
      } finally {
        statement.setReturnArrays(false)
      }
    })

  const attempt: SqliteConnection["attempt"] = (run, again) =>
    Effect.withFiber((fiber) => {
      try {
        return Exit.succeed(run())
      } catch (cause) {
        if (!isSqliteError(cause)) return Exit.die(cause)
        const error = sqlError(cause, "transact")
        return isBusy(cause) ? lock.retry(fiber, error, again()) : Exit.fail(error)
      }
    })

  const uncached = (sql: string) => db.prepare(sql)

  return {
    isTransaction: () => db.isTransaction,
    attempt,
    transact: ({ beforeCommit, decide, reads, skipFsync = false }) => {
      files?.check()
      if (db.isTransaction) db.exec("ROLLBACK")
      if (usesFsync === skipFsync) setFsync(!skipFsync)
      prepared("BEGIN IMMEDIATE").run()
      try {
        const found: Array<Array<Record<string, SQLOutputValue>>> = []
        for (const read of reads) found.push(read === undefined ? [] : select(prepared(read.text), read.values))
        const { result, writes } = decide(found)
        for (const { text, values } of writes) prepared(text).run(...values.map(bind))
        beforeCommit?.()
        prepared("COMMIT").run()
        if (lock.isSeen) lock.released()
        return result
      } catch (cause) {
        rollback(db)
        throw cause
      }
    },
    execute: (sql, params, transform) => transformed(rows(prepared, sql, params), transform),
    executeUnprepared: (sql, params, transform) => transformed(rows(uncached, sql, params), transform),
    executeRaw: (sql, params) =>
      using(prepared, sql, (statement) =>
        statement.columns().length > 0 ? statement.all(...params.map(bind)) : statement.run(...params.map(bind))
      ),
    executeValues: (sql, params) => values(prepared, sql, params),
    executeValuesUnprepared: (sql, params) => values(uncached, sql, params),
    executeStream: (sql, params, transform) =>
      // Not the cached statement: it could run again while these rows are still being read.
      Stream.unwrap(
        using(uncached, sql, (statement) => {
          const iterator = statement.iterate(...params.map(bind))
          // Read here, because a lock shows only now.
          let first: ReadonlyArray<Record<string, SQLOutputValue>> | undefined = take(iterator, streamBatch)
          const next = () => {
            const batch = first ?? take(iterator, streamBatch)
            first = undefined
            return batch
          }
          const pull = Effect.flatMap(foreign(sql, next), (batch) => {
            const out = transform === undefined ? batch : transform(batch)
            return isReadonlyArrayNonEmpty(out) ? Effect.succeed(out) : Cause.done()
          })
          return Stream.ensuring(
            Stream.fromPull(Effect.succeed(pull)),
            Effect.sync(() => iterator.return?.())
          )
        })
      )
  }
}

/** If this fails, the next transaction rolls back before it begins. */
const rollback = (db: DatabaseSync): void => {
  try {
    if (db.isTransaction) db.exec("ROLLBACK")
  } catch {}
}

const select = (statement: StatementSync, values: ReadonlyArray<unknown>) => {
  statement.setReadBigInts(true)
  return statement.all(...values.map(bind))
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

/** `node:sqlite` binds every number as REAL. Integers are bound as bigint, or `? / 2` would not be an integer division. */
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
