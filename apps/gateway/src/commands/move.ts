import { parseAddress, showAddress } from "@tollgate/server/postgres"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { existsSync } from "node:fs"
import { databaseIn } from "../dataFolder.ts"
import { CommandError } from "./CommandError.ts"
import { existing } from "./inStore.ts"

const to = Flag.Redacted("to").pipe(
  Flag.withMetavar("postgres://…"),
  Flag.withDescription("The database to move to; without it, that of TOLLGATE_STORE"),
  Flag.optional
)

const undo = Flag.Boolean("undo").pipe(
  Flag.withDescription("Use the embedded store again, as it was before the move"),
  Flag.withDefault(false)
)

const fail = (message: string) => Effect.fail(new CommandError({ message }))

export const move = Command.make("move", { to, undo }, ({ to, undo }) =>
  Effect.gen(function* () {
    const { data, secret, store } = yield* existing
    if (!existsSync(databaseIn(data))) return yield* fail(`There is no embedded store in ${data}; set TOLLGATE_DATA.`)
    const moving = yield* Effect.promise(() => import("../move/main.ts"))
    if (undo) return yield* moving.undo(data)
    const address = Option.getOrElse(to, () => store)
    if (address === undefined) return yield* fail("Say where to move to: tollgate move --to postgres://…")
    const parsed = parseAddress(address)
    if (Result.isFailure(parsed)) return yield* fail(`--to: ${parsed.failure}`)
    return yield* moving.moveTo({ data, secret }, Redacted.make(Redacted.value(address)), showAddress(parsed.success))
  })
).pipe(Command.withDescription("Move the embedded store to PostgreSQL, while no gateway runs on it"))
