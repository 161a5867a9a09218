import { listGateways } from "@tollgate/gateway/operator"
import { NodeSqliteClient } from "@tollgate/server"
import { PostgresClient } from "@tollgate/server/postgres"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { refuseSetting } from "../../settings/Settings.ts"
import { read } from "../../settings/variables.ts"
import * as Print from "../../terminal/print.ts"
import * as dataFolder from "../dataFolder.ts"
import { deleteMoved, readMoved } from "../marks.ts"

interface Target {
  readonly address: Redacted.Redacted
  /** Without its password. */
  readonly shown: string
}

/** Who uses the database that a store was moved to, or why that is not certain. */
type Usage =
  | { readonly kind: "none" }
  | { readonly kind: "live"; readonly name: string }
  | { readonly kind: "unsure"; readonly why: string }

const unsure = (why: string): Usage => ({ kind: "unsure", why })

/** A silent gateway may be dead, or may only hang and go on later. */
const usageOf = (moved: string, target: Target | undefined, deadSeconds: number): Effect.Effect<Usage> => {
  if (target === undefined) return Effect.succeed(unsure("neither --to nor TOLLGATE_STORE says how to reach it"))
  if (target.shown !== moved) return Effect.succeed(unsure(`the database that is given is ${target.shown}`))
  return listGateways.pipe(
    Effect.map((found): Usage => {
      const live = found.find(({ silentMillis }) => silentMillis < deadSeconds * 1_000)
      if (live !== undefined) return { kind: "live", name: live.name }
      const [silent] = found
      if (silent === undefined) return { kind: "none" }
      return unsure(`${silent.name} is silent for ${Math.round(silent.silentMillis / 1_000)} s`)
    }),
    Effect.provide(PostgresClient.layer({ address: target.address, maxConnections: 1 })),
    Effect.catchTag("SqlError", ({ message }) => Effect.succeed(unsure(message)))
  )
}

/** Two ledgers would go on if a gateway uses the other one. */
const refuseUsed = Effect.fnUntraced(function* (moved: string, { isForced, target }: Undo) {
  const usage = yield* usageOf(moved, target, yield* read("TOLLGATE_DEAD_SECONDS"))
  if (usage.kind === "none") return
  if (usage.kind === "live") {
    return yield* Print.fail(`A gateway (${usage.name}) uses ${moved}; stop it first.`)
  }
  const line = `Cannot check that no gateway uses ${moved}: ${usage.why}.`
  if (isForced) return yield* Print.line(line)
  return yield* Print.fail(`${line} Name the database with --to, or stop its gateways and add --force.`)
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
    Effect.catchTag("SqlError", ({ message }) => refuseSetting(`TOLLGATE_DATA: ${message}`))
  )
  yield* Print.line(
    target === undefined
      ? "The embedded store was not moved: there is nothing to undo."
      : `A gateway starts on the embedded store again. What it did on ${target} since the move is not in it.`
  )
})
