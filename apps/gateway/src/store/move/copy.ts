import { isReadonlyArrayNonEmpty } from "effect/Array"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { type Progress, writeProgress } from "../marks.ts"
import { keyOf, readBatch, type Row, type Table } from "./Table.ts"
import type { movedTables } from "./tables.ts"

type InStore = <A, E>(effect: Effect.Effect<A, E, SqlClient>) => Effect.Effect<A, E>

/** The rows and how far the move is are one transaction: a move that is cut copies no row twice. */
const insertBatch = (
  table: Table,
  rows: ReadonlyArray<Row>,
  progress: Progress
): Effect.Effect<void, SqlError, SqlClient> =>
  SqlClient.use((sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        if (isReadonlyArrayNonEmpty(rows)) yield* sql`INSERT INTO ${sql(table.name)} ${sql.insert(rows)}`
        yield* writeProgress(progress)
      })
    )
  )

/** Copies the rest of a part. Returns the progress after it. */
export const copyPart = Effect.fnUntraced(function* (options: {
  readonly part: (typeof movedTables)[number]
  readonly table: Table
  readonly progress: Progress
  readonly source: InStore
  readonly target: InStore
}) {
  const { part, source, table, target } = options
  let progress = options.progress
  for (;;) {
    const rows = yield* source(readBatch(table, part.where, progress.after))
    const last = rows.at(-1)
    const { after: _, ...rest } = progress
    const isOver = last === undefined || rows.length < table.batch
    progress = isOver ? { ...rest, parts: rest.parts + 1 } : { ...rest, after: keyOf(table, last) }
    yield* target(insertBatch(table, rows, progress))
    if (isOver) return progress
  }
})
