import { Keeper } from "@tollgate/gateway/ledger/Keeper"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { parentPort, workerData } from "node:worker_threads"
import * as SqliteClient from "../SqliteClient.ts"
import { type Group, replyTo, type Store } from "./keeperMessage.ts"

// The ledger's thread: the keeper over a connection of its own, one group after the other.
const { busyMillis, filename } = workerData as Store
const port = parentPort!

const serve = Effect.gen(function* () {
  const { commit } = yield* Keeper
  const context = yield* Effect.context()
  yield* Effect.callback<void>((resume) => {
    port.on("message", (group: Group | undefined) => {
      if (group === undefined) return resume(Effect.void)
      Effect.runForkWith(context)(commit(group.commands, group.owner)).addObserver((exit) =>
        port.postMessage(replyTo(exit))
      )
    })
    port.postMessage(replyTo(Exit.succeed([])))
  })
})

const keeper = Keeper.layer.pipe(Layer.provide(SqliteClient.layer({ filename, busyTimeout: busyMillis })))

Effect.runFork(Effect.provide(serve, keeper)).addObserver((exit) => {
  if (Exit.isFailure(exit)) port.postMessage(replyTo(Exit.failCause(exit.cause)))
  port.close()
})
