import type * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "./rows.ts"
import type { Statement } from "./statements.ts"
import * as Context from "effect/Context"

/** All reads, then a decision in memory, then all writes: no code waits between the statements. */
export interface Transaction<A> {
  readonly reads: ReadonlyArray<Statement | undefined>
  /** Gets the rows of each read. A read that is `undefined` has none. */
  readonly decide: (found: ReadonlyArray<ReadonlyArray<Row>>) => Decision<A>
  /** Called after the last write, before the commit. */
  readonly beforeCommit?: (() => void) | undefined
  /** Skips fsync: a power loss may drop the commit unless a later one was flushed. A crash of the process may not. */
  readonly skipFsync?: boolean
}

interface Decision<A> {
  readonly writes: ReadonlyArray<Statement>
  readonly result: A
}

/** Commits a transaction durably and as a whole. Integers are read as bigint. */
export type Transact = <A>(transaction: Transaction<A>) => Effect.Effect<A, SqlError>

/** A store over the network that several gateways share. Its driver provides this beside `SqlClient`. */
export class PipelinedStore extends Context.Service<
  PipelinedStore,
  {
    /** Runs a transaction in two round trips: its reads are sent together, and its writes together with the COMMIT. */
    readonly transact: Transact
    /** Runs one statement in a transaction of its own, in one round trip: the ledger calls `commit_commands` by it. */
    readonly runAlone: (statement: Statement) => Effect.Effect<ReadonlyArray<Row>, SqlError>
  }
>()("@tollgate/ledger/store/PipelinedStore") {}
