import { NodeSqliteClient } from "@tollgate/server"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { CommandError } from "../commands/CommandError.ts"
import * as Print from "../commands/print.ts"
import * as dataFolder from "../dataFolder.ts"
import { SettingsError } from "../Settings.ts"
import type { Place } from "../store.ts"
import { deleteMoved, readMoved } from "./marks.ts"
import { move } from "./move.ts"

const unusable = ({ message }: Error) => Effect.fail(new CommandError({ message: `Cannot move the store: ${message}` }))

export const moveTo = (place: Pick<Place, "data" | "secret">, address: Redacted.Redacted, target: string) =>
  Effect.scoped(move(place, address, target)).pipe(
    Effect.catchTags({ SqlError: unusable, MigrationError: unusable, SchemaTooNew: unusable })
  )

/** What happened on PostgreSQL since the move stays there. */
export const undo = Effect.fnUntraced(function* (data: string) {
  const changed = Effect.gen(function* () {
    yield* dataFolder.hold(data)
    const target = yield* readMoved
    yield* deleteMoved
    return target
  })
  const target = yield* changed.pipe(
    Effect.provide(NodeSqliteClient.layer({ filename: dataFolder.databaseIn(data) })),
    Effect.scoped,
    Effect.catchTag("SqlError", ({ message }) =>
      Effect.fail(new SettingsError({ message: `TOLLGATE_DATA: ${message}` }))
    )
  )
  yield* Print.line(
    target === undefined
      ? "The embedded store was not moved: there is nothing to undo."
      : `A gateway starts on the embedded store again. What it did on ${target} since the move is not in it.`
  )
})
