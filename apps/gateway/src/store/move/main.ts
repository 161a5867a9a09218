import { NodeSqliteClient } from "@tollgate/server"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { CommandError } from "../../terminal/CommandError.ts"
import * as Print from "../../terminal/print.ts"
import * as dataFolder from "../dataFolder.ts"
import { deadSeconds, SettingsError } from "../../settings/Settings.ts"
import type { Place } from "../layer.ts"
import { type Target, usageOf } from "./liveGateways.ts"
import { deleteMoved, readMoved } from "../marks.ts"
import { move } from "./move.ts"

const unusable = ({ message }: Error) => Effect.fail(new CommandError({ message: `Cannot move the store: ${message}` }))

export const moveTo = (place: Pick<Place, "data" | "secret">, address: Redacted.Redacted, target: string) =>
  Effect.scoped(move(place, address, target)).pipe(
    Effect.catchTags({ SqlError: unusable, MigrationError: unusable, SchemaTooNew: unusable })
  )

/** Two ledgers would go on if a gateway uses the other one. */
const refuseUsed = Effect.fnUntraced(function* (moved: string, { isForced, target }: Undo) {
  const usage = yield* usageOf(moved, target, yield* deadSeconds)
  if (usage.kind === "none") return
  if (usage.kind === "live") {
    return yield* new CommandError({ message: `A gateway (${usage.name}) uses ${moved}; stop it first.` })
  }
  const line = `It is not checked that no gateway uses ${moved}: ${usage.why}.`
  if (isForced) return yield* Print.line(line)
  return yield* new CommandError({
    message: `${line} Name the database with --to, or stop its gateways and add --force.`
  })
})

export interface Undo {
  /** The database that the store was moved to, if it is given. */
  readonly target: Target | undefined
  /** Also if it cannot be checked that no gateway uses it. */
  readonly isForced: boolean
}

/** What happened on PostgreSQL since the move stays there. */
export const undo = Effect.fnUntraced(function* (data: string, options: Undo) {
  const changed = Effect.gen(function* () {
    yield* dataFolder.hold(data)
    const moved = yield* readMoved
    if (moved !== undefined) yield* refuseUsed(moved, options)
    yield* deleteMoved
    return moved
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
