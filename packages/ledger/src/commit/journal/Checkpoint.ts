import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import type { Scope } from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { EmbeddedStore } from "../../store/EmbeddedStore.ts"
import * as Statements from "../../store/statements.ts"
import * as WriteFailure from "../WriteFailure.ts"
import * as Journal from "./Journal.ts"

/** A checkpoint runs a second after the first pending entry, or at `MaxPending` entries. */
const intervalMillis = 1_000

export const MaxPending = Context.Reference<number>("@tollgate/ledger/MaxPending", { defaultValue: () => 256 })

/** Checkpoints once, for programs that read the tables without a ledger: a killed gateway may have left a journal. */
export const once: Effect.Effect<void, SqlError, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const store = yield* Effect.serviceOption(EmbeddedStore)
  if (Option.isNone(store)) return
  const journal = Journal.make(store.value, Statements.make(sql))
  yield* store.value.exclusively(journal.checkpoint)
})

/** Checkpoints before each statement, for programs that write the tables without a ledger, while a gateway may run. */
export const beforeStatements: Effect.Effect<void, never, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const store = yield* Effect.serviceOption(EmbeddedStore)
  if (Option.isNone(store)) return
  const statements = Statements.make(sql)
  // A new journal each time reads what the gateway has written since.
  store.value.beforeOutsideStatement(() => Journal.make(store.value, statements).checkpoint())
})

/**
 * Checkpoints now, before each foreign statement, in the background, and when the scope closes. Returns a function to call
 * after each commit, which schedules the background checkpoint.
 */
export const schedule = Effect.fnUntraced(function* (
  store: EmbeddedStore["Service"],
  journal: Journal.Journal
): Effect.fn.Return<() => void, never, Scope> {
  const checkpoint = Effect.tapError(store.exclusively(journal.checkpoint), WriteFailure.log)
  const makeRoom = Effect.tapError(store.exclusively(journal.makeRoom), WriteFailure.log)
  const maxPending = yield* MaxPending
  const isDue = yield* Latch.make(false)
  const isFull = yield* Latch.make(false)
  store.beforeOutsideStatement(journal.checkpoint)
  yield* Effect.addFinalizer(() => Effect.ignore(checkpoint))
  yield* Effect.orDie(checkpoint)
  yield* isDue.await.pipe(
    Effect.andThen(Effect.race(Effect.as(Effect.sleep(intervalMillis), checkpoint), Effect.as(isFull.await, makeRoom))),
    Effect.tap(Effect.all([isDue.close, isFull.close])),
    Effect.flatMap(Effect.retry(WriteFailure.retry)),
    Effect.forever,
    Effect.forkScoped
  )
  return () => {
    const pending = journal.pending()
    if (pending > 0) isDue.openUnsafe()
    if (pending >= maxPending) isFull.openUnsafe()
  }
})
