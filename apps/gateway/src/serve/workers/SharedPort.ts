import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type FromPrimary, onPrimary, toPrimary } from "./Message.ts"

/** How a worker leaves a port that it shares with others. */
export interface SharedPort {
  /** Whether the worker is being replaced: the others go on. */
  readonly isReplaced: () => boolean
  /** Succeeds when the program, not only this worker, is being stopped. */
  readonly programStops: Effect.Effect<void>
  /** Succeeds when the process that hands the connections out knows that this one listens no more. */
  readonly leftPort: Effect.Effect<void>
}

/** Undefined in a process that is no worker. */
export const SharedPort = Context.Reference<SharedPort | undefined>("tollgate/workers/SharedPort", {
  defaultValue: () => undefined
})

/** Bounds how long a process is waited for that does not answer. */
const patience = "10 seconds"

const make = Effect.gen(function* () {
  let isReplaced = false
  let isStopped = false
  const onStopped = new Set<() => void>()
  const leaving: Array<() => void> = []

  const receive = (message: FromPrimary): void => {
    if (message.kind === "replace") {
      isReplaced = true
      process.kill(process.pid, "SIGTERM")
    } else if (message.kind === "program_stops") {
      isStopped = true
      for (const stopped of onStopped) stopped()
    } else if (message.kind === "port_left") {
      leaving.shift()?.()
    }
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => onPrimary(receive)),
    (stop) => Effect.sync(stop)
  )

  const replaced: SharedPort = {
    isReplaced: () => isReplaced && !isStopped,
    programStops: Effect.callback<void>((resume) => {
      const stopped = () => resume(Effect.void)
      if (!isReplaced || isStopped) return stopped()
      onStopped.add(stopped)
      return Effect.sync(() => onStopped.delete(stopped))
    }),
    // Messages arrive in order: before the answer, this process has returned each connection that it was still handed.
    leftPort: Effect.callback<void>((resume) => {
      leaving.push(() => resume(Effect.void))
      toPrimary({ kind: "leave_port" })
    }).pipe(Effect.timeoutOption(patience), Effect.asVoid)
  }
  return replaced
})

export const layer = Layer.effect(SharedPort, make)
