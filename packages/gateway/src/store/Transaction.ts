import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { hasProperty } from "effect/Predicate"
import { SafeIntegers, type SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "./rows.ts"
import type { Statement } from "./statements.ts"

/**
 * All that is to be read, a decision made of it in memory, all that is to be written: so a store knows every statement before
 * it is asked the first one, and no code waits between them.
 */
export interface Transaction<A> {
  readonly reads: ReadonlyArray<Statement | undefined>
  /** Gets the rows of each that is read: none, where nothing is. */
  readonly decide: (found: ReadonlyArray<ReadonlyArray<Row>>) => Decision<A>
  /** Told when all is written, and not yet committed. */
  readonly onWritten: () => void
  /** Outlives the process at once, but the machine only together with the next one that does not say this. */
  readonly mayWait?: boolean
}

export interface Decision<A> {
  readonly writes: ReadonlyArray<Statement>
  readonly result: A
}

/** Carries one out whole and durably, or not at all. Whole numbers are read as bigint. */
export type Transact = <A>(transaction: Transaction<A>) => Effect.Effect<A, SqlError>

/** A store that is one process's own, but for visits of others, which it can tell of. Everything here takes one step. */
export interface Solitary {
  /** Runs what asks `now` for transactions, as soon as none of another kind is under way. */
  readonly exclusively: <A>(run: () => A) => Effect.Effect<A, SqlError>
  /** Throws what the store throws. */
  readonly now: <A>(transaction: Transaction<A>) => A
  /** Is answered differently once another process has written. */
  readonly version: Statement
  /** To be run before anything else in this process reads or writes that is not `Apart`, in the same step. */
  readonly beforeOthers: (run: () => void) => void
}

/** Whether a statement concerns only what the ledger never writes: then it does not have to wait for it. */
export const Apart = Context.Reference<boolean>("@tollgate/gateway/store/Apart", { defaultValue: () => false })

export const apart: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.provideService(
  Apart,
  true
)

const key = "~tollgate/gateway/solitary"

export const withSolitary = <Client extends SqlClient>(sql: Client, solitary: Solitary | undefined): Client =>
  Object.assign(sql, { [key]: solitary })

export const solitary = (sql: SqlClient): Solitary | undefined =>
  hasProperty(sql, key) ? (sql[key] as Solitary | undefined) : undefined

/** In one step where the store can, or statement after statement. */
export const of = (sql: SqlClient): Transact => {
  const own = solitary(sql)
  return own === undefined ? stepwise(sql) : (transaction) => own.exclusively(() => own.now(transaction))
}

export const stepwise = (sql: SqlClient): Transact => {
  const run = ({ text, values }: Statement) => sql.unsafe<Row>(text, values)
  return (transaction) =>
    Effect.gen(function* () {
      const found: Array<ReadonlyArray<Row>> = []
      for (const read of transaction.reads) found.push(read === undefined ? [] : yield* run(read))
      const { result, writes } = transaction.decide(found)
      for (const write of writes) yield* run(write)
      transaction.onWritten()
      return result
    }).pipe(sql.withTransaction, Effect.provideService(SafeIntegers, true))
}
