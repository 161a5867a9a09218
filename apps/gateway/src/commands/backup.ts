import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { link, open, rm, stat } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { databaseIn, secretIn } from "../store/dataFolder.ts"
import * as Print from "../terminal/print.ts"
import { withProgress } from "../terminal/progress.ts"
import { existing } from "./inStore.ts"
import { argument } from "./inputs.ts"

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const sync = async (path: string): Promise<void> => {
  const handle = await open(path)
  await handle.sync().finally(() => handle.close())
}

/** One read transaction: the copy is a single moment of the store, and the gateway writes on meanwhile. */
const copy = (database: string, into: string): void => {
  const db = new DatabaseSync(database, { readOnly: true, timeout: 5_000 })
  try {
    db.prepare("VACUUM INTO ?").run(into)
  } finally {
    db.close()
  }
}

/**
 * Copies a SQLite database into a new file, and returns its size. The copy gets its name when it is whole and on the disk;
 * `link` never replaces a file.
 */
const writeBackup = (database: string, file: string): Effect.Effect<number, Print.CommandError> =>
  Effect.tryPromise({
    try: async () => {
      const path = resolve(file)
      if (existsSync(path)) throw new Error("the file exists")
      const draft = `${path}.${process.pid}.part`
      try {
        // Created here, so that only its owner can read it.
        await (await open(draft, "wx", 0o600)).close()
        copy(database, draft)
        await sync(draft)
        await link(draft, path)
        await sync(dirname(path))
        return (await stat(path)).size
      } finally {
        await rm(draft, { force: true })
        await rm(`${draft}-journal`, { force: true })
      }
    },
    catch: (cause) => new Print.CommandError({ message: `Cannot write the backup ${file}: ${reasonOf(cause)}` })
  })

const file = argument("file", "The file to write; an existing file is not overwritten")

export const backup = Command.make("backup", { file }, ({ file }) =>
  Effect.gen(function* () {
    const { data, secret, store } = yield* existing
    const kept = secret === undefined ? secretIn(data) : "TOLLGATE_SECRET"
    if (store !== undefined) {
      return yield* Print.fail(`TOLLGATE_STORE is set: back up PostgreSQL with pg_dump, and keep a copy of ${kept}`)
    }
    const database = databaseIn(data)
    const bytes = yield* withProgress("Copying the store", writeBackup(database, file))
    yield* Print.line(`Wrote ${file} (${bytes} bytes).`)
    yield* Print.line(`The secret is not in it, and without it no key works: keep a copy of ${kept} too.`)
    yield* Print.line("To restore, put both into a folder as tollgate.db and secret, and set TOLLGATE_DATA to it.")
  })
).pipe(
  Command.withDescription("Copy the embedded store into a file, even while the gateway runs"),
  Command.withShortDescription("Copy the embedded store into a file")
)
