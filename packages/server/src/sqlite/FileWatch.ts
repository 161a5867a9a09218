import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { statSync } from "node:fs"
import { stat } from "node:fs/promises"
import { basename } from "node:path"

const every = "1 second"

/** SQLite's own code for a file that was moved or deleted. In WAL mode it does not look. */
const moved = 1032

/** What is written to files without a name is lost with the process. */
const lostError = () =>
  Object.assign(new Error("the files of the database were deleted or replaced"), {
    code: "ERR_SQLITE_ERROR",
    errcode: moved
  })

interface Identity {
  readonly dev: bigint
  readonly ino: bigint
}

/** Notices when the paths of an open database lead to other files than those that are open, or to none. */
export class FileWatch {
  readonly #opened: ReadonlyMap<string, Identity | undefined>
  #isLost = false

  /** Call it when the database is open: only then all its files exist. Opening them here would end SQLite's locks. */
  constructor(filename: string) {
    const paths = [filename, `${filename}-wal`, `${filename}-shm`]
    this.#opened = new Map(paths.map((path) => [path, statSync(path, { bigint: true, throwIfNoEntry: false })]))
  }

  check(): void {
    if (this.#isLost) throw lostError()
  }

  async #lost(): Promise<ReadonlyArray<string>> {
    const lost: Array<string> = []
    for (const [path, opened] of this.#opened) {
      if (opened !== undefined && !(await isSame(path, opened))) lost.push(basename(path))
    }
    return lost
  }

  /** Looks once, and logs a change. */
  readonly look: Effect.Effect<void> = Effect.flatMap(
    Effect.promise(() => this.#lost()),
    (lost) => {
      const wasLost = this.#isLost
      this.#isLost = lost.length > 0
      if (this.#isLost === wasLost) return Effect.void
      return wasLost
        ? Effect.logWarning("the files of the store are back")
        : Effect.logError("the files of the store were deleted or replaced; nothing is written until they are back", {
            files: lost.join(", ")
          })
    }
  )

  readonly forever: Effect.Effect<unknown> = Effect.repeat(Effect.delay(this.look, every), Schedule.forever)
}

/** A failure other than a missing file says nothing about the one that is open. */
const isSame = (path: string, { dev, ino }: Identity): Promise<boolean> =>
  stat(path, { bigint: true }).then(
    (found) => found.dev === dev && found.ino === ino,
    ({ code }: NodeJS.ErrnoException) => code !== "ENOENT" && code !== "ENOTDIR"
  )
