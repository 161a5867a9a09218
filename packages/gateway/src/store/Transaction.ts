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
}

export interface Decision<A> {
  readonly writes: ReadonlyArray<Statement>
  readonly result: A
}

/** Carries one out whole and durably, or not at all. Whole numbers are read as bigint. */
export type Transact = <A>(transaction: Transaction<A>) => Effect.Effect<A, SqlError>

const key = "~tollgate/gateway/transact"

/** For a store that has a shorter way than statement after statement. */
export const withOwn = <Client extends SqlClient>(sql: Client, transact: Transact): Client =>
  Object.assign(sql, { [key]: transact })

/** The store's own way, or the one that all have. */
export const of = (sql: SqlClient): Transact => (hasProperty(sql, key) ? (sql[key] as Transact) : stepwise(sql))

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
