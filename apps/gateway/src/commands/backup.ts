import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { writeBackup } from "../store/backup.ts"
import { databaseIn, secretIn } from "../store/dataFolder.ts"
import { CommandError } from "../terminal/CommandError.ts"
import { existing } from "./inStore.ts"
import * as Print from "../terminal/print.ts"

const file = Argument.String("file").pipe(Argument.withDescription("The file to write; one that exists stays as it is"))

export const backup = Command.make("backup", { file }, ({ file }) =>
  Effect.gen(function* () {
    const { data, secret, store } = yield* existing
    const kept = secret === undefined ? secretIn(data) : "TOLLGATE_SECRET"
    if (store !== undefined) {
      return yield* new CommandError({
        message: `TOLLGATE_STORE is set: back up PostgreSQL with pg_dump, and keep a copy of ${kept}`
      })
    }
    const bytes = yield* writeBackup(databaseIn(data), file)
    yield* Print.line(`Wrote ${file} (${bytes} bytes).`)
    yield* Print.line(`The secret is not in it, and without it no key works: keep a copy of ${kept} too.`)
    yield* Print.line("To restore, put both into a folder as tollgate.db and secret, and set TOLLGATE_DATA to it.")
  })
).pipe(Command.withDescription("Copy the embedded store into a file, also while the gateway runs"))
