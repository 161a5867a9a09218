import type * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "./rows.ts"
import type { Statement } from "./statements.ts"

/** All reads, then a decision in memory, then all writes: no code waits between the statements. */
export interface Transaction<A> {
  readonly reads: ReadonlyArray<Statement | undefined>
  /** Gets the rows of each read. A read that is `undefined` has none. */
  readonly decide: (found: ReadonlyArray<ReadonlyArray<Row>>) => Decision<A>
  /** Called after the last write, before the commit. */
  readonly beforeCommit: () => void
  /** Skips fsync: a power loss may drop the commit unless a later one was flushed. A crash of the process may not. */
  readonly skipFsync?: boolean
}

export interface Decision<A> {
  readonly writes: ReadonlyArray<Statement>
  readonly result: A
}

/** Commits a transaction durably and as a whole. Integers are read as bigint. */
export type Transact = <A>(transaction: Transaction<A>) => Effect.Effect<A, SqlError>
