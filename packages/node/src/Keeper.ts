import { Keeper } from "@tollgate/gateway/ledger/Keeper"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlError } from "effect/sql/SqlError"
import { Worker } from "node:worker_threads"
import { make } from "./internal/keeper.ts"
import type { Store } from "./internal/keeperMessage.ts"
import { unavailable } from "./internal/keeperThread.ts"

export interface Options {
  /** The store's file: a worker cannot see what is in another thread's memory. */
  readonly filename: string
  /** How long a commit waits for another connection's lock. Default 5 seconds. */
  readonly busyTimeout?: Duration.Input | undefined
}

/** Beside this file, and what this file is: source or built. */
const program = import.meta.url.endsWith(".ts")
  ? new URL("./internal/keeperWorker.ts", import.meta.url)
  : new URL("./internal/keeperWorker.js", import.meta.url)

/**
 * Commits in a worker, over a connection of its own: the event loop goes on while the disk is written. Durable is what
 * it was: the worker answers when its transaction is on disk.
 *
 * Build it after the store's tables: `LedgerSql.layerKept.pipe(Layer.provide(NodeKeeper.layer({ filename })))`.
 */
export const layer = ({ busyTimeout = "5 seconds", filename }: Options): Layer.Layer<Keeper, SqlError> => {
  if (filename === ":memory:" || filename === "") {
    return Layer.effect(Keeper, Effect.fail(unavailable("a store in memory cannot be shared with a worker")))
  }
  const store: Store = { filename, busyMillis: Duration.toMillis(Duration.fromInputUnsafe(busyTimeout)) }
  return Layer.effect(
    Keeper,
    // The process's own flags are not for it; with some it would not even start.
    make(() => new Worker(program, { workerData: store, execArgv: [] }))
  )
}
