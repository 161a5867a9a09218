import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "./statements.ts"
import type { Transaction } from "./Transaction.ts"

/**
 * A store inside this process that runs whole transactions synchronously and notices writes of other processes. Its driver
 * provides this beside `SqlClient`, and the ledger commits to its journal.
 */
export class EmbeddedStore extends Context.Service<
  EmbeddedStore,
  {
    /** Runs `run` in one step as soon as no transaction of another fiber is open. Runs it again if the store was locked. */
    readonly exclusively: <A>(run: () => A) => Effect.Effect<A, SqlError>
    /** Runs a transaction synchronously. Call it inside `exclusively`; it throws the driver's own error. */
    readonly transact: <A>(transaction: Transaction<A>) => A
    /** Its result changes when another process has written. */
    readonly version: Statement
    /**
     * Calls `run` in the same step before each statement of this process, unless it is marked `doesNotTouchLedger`. If `run`
     * throws, a statement that may write fails with it; one that only reads goes on.
     */
    readonly beforeOutsideStatement: (run: () => void) => void
  }
>()("@tollgate/ledger/store/EmbeddedStore") {}

/** Whether a statement reads and writes only tables that the ledger never writes. */
export const DoesNotTouchLedger = Context.Reference<boolean>("@tollgate/ledger/store/DoesNotTouchLedger", {
  defaultValue: () => false
})

/** Marks the statements of an effect: they need no checkpoint first. */
export const doesNotTouchLedger: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> =
  Effect.provideService(DoesNotTouchLedger, true)
