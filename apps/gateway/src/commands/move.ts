import { parseAddress, showAddress } from "@tollgate/server/postgres"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { existsSync } from "node:fs"
import { databaseIn } from "../store/dataFolder.ts"
import { fail } from "../terminal/print.ts"
import { toggle } from "./inputs.ts"
import { existing } from "./inStore.ts"

const to = Flag.Redacted("to").pipe(
  Flag.withMetavar("postgres://…"),
  Flag.withDescription("The database to move to, or to come back from; default: TOLLGATE_STORE"),
  Flag.optional
)

const undo = toggle("undo", "Use the embedded store again, as it was before the move")

const force = toggle("force", "With --undo: even if it cannot be checked that no gateway uses the database")

export const move = Command.make("move", { to, undo, force }, ({ force, to, undo }) =>
  Effect.gen(function* () {
    const { data, secret, store } = yield* existing
    if (!existsSync(databaseIn(data))) return yield* fail(`There is no embedded store in ${data}; set TOLLGATE_DATA.`)
    const given = Option.getOrElse(to, () => store)
    const parsed = given === undefined ? undefined : parseAddress(given)
    if (parsed !== undefined && Result.isFailure(parsed)) return yield* fail(`--to: ${parsed.failure}`)
    const target =
      given === undefined || parsed === undefined
        ? undefined
        : { address: Redacted.make(Redacted.value(given)), shown: showAddress(parsed.success) }
    if (undo) {
      const move = yield* Effect.promise(() => import("../store/move/undo.ts"))
      return yield* move.undo(data, { target, isForced: force })
    }
    if (target === undefined) return yield* fail("Name the database to move to: tollgate move --to postgres://…")
    const { moveTo } = yield* Effect.promise(() => import("../store/move/move.ts"))
    return yield* moveTo({ data, secret }, target.address, target.shown)
  })
).pipe(
  Command.withDescription("Move the embedded store to PostgreSQL, while no gateway runs on it"),
  Command.withShortDescription("Move the embedded store to PostgreSQL")
)
