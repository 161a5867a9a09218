import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import type { Worker } from "node:worker_threads"
import type { Group, Reply } from "./keeperMessage.ts"

/** A worker, which is asked one thing at a time. */
export interface Thread {
  readonly ended: () => boolean
  /** Fails when the worker has ended without an answer: what it was asked may or may not have been done. */
  readonly ask: (group: Group) => Effect.Effect<Reply, SqlError>
  /** Closes the store and ends it. */
  readonly close: Effect.Effect<void>
}

export const unavailable = (message: string): SqlError =>
  new SqlError({ reason: new ConnectionError({ cause: new Error(message), operation: "commit", message }) })

type Heard = Exit.Exit<Reply, SqlError>

/** Starts a worker, and waits for its first word: that the store is open, or why not. */
export const start = (spawn: () => Worker): Effect.Effect<[Thread, Reply], SqlError> =>
  Effect.suspend(() => {
    const worker = spawn()
    let why = "it was ended"
    let ended = false
    let listener: ((heard: Heard) => void) | undefined
    // Only while somebody waits for it does a worker keep the process alive.
    const hear = (heard: Heard): void => {
      worker.unref()
      const resume = listener
      listener = undefined
      resume?.(heard)
    }
    const listen: Effect.Effect<Reply, SqlError> = Effect.callback((resume) => {
      if (ended) return resume(lost())
      worker.ref()
      listener = resume
    })
    const lost = (): Heard => Exit.fail(unavailable(`the ledger's worker is gone: ${why}`))

    worker.on("message", (reply: Reply) => hear(Exit.succeed(reply)))
    worker.on("error", (error: unknown) => {
      why = error instanceof Error ? error.message : String(error)
    })
    worker.on("exit", () => {
      ended = true
      hear(lost())
    })

    const thread: Thread = {
      ended: () => ended,
      ask: (group) =>
        Effect.suspend(() => {
          worker.postMessage(group)
          return listen
        }),
      close: Effect.suspend(() => {
        worker.postMessage(undefined)
        return Effect.ignore(listen)
      })
    }
    return Effect.map(listen, (first) => [thread, first])
  })
