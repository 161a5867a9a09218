import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Scope } from "effect/Scope"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Rows from "../../store/rows.ts"
import * as WriteFailure from "../WriteFailure.ts"

/** How many deltas one transaction moves at most. */
const batch = 20_000

const intervalMillis = 1_000

const moveAll = (rows: Rows.Rows, waits: boolean): Effect.Effect<void, SqlError> =>
  Effect.flatMap(rows.run(`SELECT fold_usage(${batch}, ${waits}) AS moved`, []), ([row]) =>
    row !== undefined && Rows.number(row, "moved") === batch ? moveAll(rows, waits) : Effect.void
  )

/** Moves all committed deltas into the usage totals. To be run before totals are read, outside of a transaction. */
export const foldUsage = (rows: Rows.Rows): Effect.Effect<void, SqlError> =>
  rows.dialect.isShared ? moveAll(rows, true) : Effect.void

/** Folds in the background, a second after the first commit that may have added deltas. Call the result after each. */
export const schedule = Effect.fnUntraced(function* (sql: SqlClient): Effect.fn.Return<() => void, never, Scope> {
  const rows = Rows.make(sql)
  const isDue = yield* Latch.make(false)
  yield* isDue.await.pipe(
    Effect.andThen(Effect.sleep(intervalMillis)),
    Effect.andThen(isDue.close),
    Effect.andThen(Effect.retry(Effect.tapError(moveAll(rows, false), WriteFailure.log), WriteFailure.retry)),
    Effect.forever,
    Effect.forkScoped
  )
  return () => void isDue.openUnsafe()
})
