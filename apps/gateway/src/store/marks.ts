import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { SqlClient } from "effect/sql/SqlClient"
import { type Settings, SettingsError } from "../settings/Settings.ts"

/** In the target: what is moved into it. */
const Progress = Schema.Struct({
  /** A digest of the secret: stores with different ones are different. */
  store: Schema.String,
  isDone: Schema.Boolean
})
export type Progress = typeof Progress.Type

const json = Schema.fromJsonString(Progress)
const decode = Schema.decodeUnknownOption(json)
const encode = Schema.encodeSync(json)

const progressName = "move"
export const movedName = "moved"

const readFact = (name: string) =>
  SqlClient.use((sql) => sql<{ readonly value: string }>`SELECT value FROM facts WHERE name = ${name}`).pipe(
    Effect.map(([row]) => row?.value)
  )

/** What a later version wrote cannot be read, and is not ended. */
const unreadable: Progress = { store: "", isDone: false }

export const readProgress = Effect.map(readFact(progressName), (value) =>
  value === undefined ? undefined : Option.getOrElse(decode(value), () => unreadable)
)
export const writeProgress = (progress: Progress) =>
  SqlClient.use(
    (sql) => sql`INSERT INTO facts (name, value) VALUES (${progressName}, ${encode(progress)})
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
    return yield* new SettingsError({
      message: `TOLLGATE_DATA: the store in ${data} was moved to PostgreSQL (${target}); set TOLLGATE_STORE, or give the move up with tollgate move --undo`
    })
  }
  const progress = yield* readProgress
  if (progress === undefined || progress.isDone) return
  return yield* new SettingsError({
    message: "TOLLGATE_STORE: a move into this database has not ended; run tollgate move again"
  })
})
