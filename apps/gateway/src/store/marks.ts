import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type Settings, refuseSetting } from "../settings/Settings.ts"

/** In the target: what is moved into it. */
export interface Progress {
  /** A digest of the secret: stores with different ones are different. */
  readonly store: string
  readonly isDone: boolean
}

const progressName = "move"
export const movedName = "moved"

const readFact = (name: string) =>
  SqlClient.use((sql) => sql<{ readonly value: string }>`SELECT value FROM facts WHERE name = ${name}`).pipe(
    Effect.map(([row]) => row?.value)
  )

const done = " done"

export const readProgress = Effect.map(readFact(progressName), (value): Progress | undefined =>
  value === undefined ? undefined : { store: value.replace(done, ""), isDone: value.endsWith(done) }
)
export const writeProgress = ({ isDone, store }: Progress) =>
  SqlClient.use(
    (sql) => sql`INSERT INTO facts (name, value) VALUES (${progressName}, ${isDone ? store + done : store})
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`
  )

/** In the embedded store: where it was moved. */
export const readMoved = readFact(movedName)
export const deleteMoved = SqlClient.use((sql) => sql`DELETE FROM facts WHERE name = ${movedName}`)

/** Neither a store that was moved elsewhere nor half of one is used. */
export const refuseMoved = Effect.fnUntraced(function* ({ data, store }: Pick<Settings, "data" | "store">) {
  if (store === undefined) {
    const target = yield* readMoved
    if (target === undefined) return
    return yield* refuseSetting(
      `TOLLGATE_DATA: the store in ${data} was moved to PostgreSQL (${target}); set TOLLGATE_STORE, or give the move up with tollgate move --undo`
    )
  }
  const progress = yield* readProgress
  if (progress === undefined || progress.isDone) return
  return yield* refuseSetting("TOLLGATE_STORE: a move into this database has not ended; run tollgate move again")
})
