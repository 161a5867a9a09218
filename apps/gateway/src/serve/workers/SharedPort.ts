import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { onPrimary, toPrimary } from "./Message.ts"

/**
 * How a worker leaves the port that it shares with others: succeeds when the process that hands the connections out knows that
 * this one listens no more. Undefined in a process that is no worker.
 */
export const LeftPort = Context.Reference<Effect.Effect<void> | undefined>("tollgate/workers/LeftPort", {
  defaultValue: () => undefined
})

/** Bounds how long a process is waited for that does not answer. */
const patience = "10 seconds"

const make = Effect.gen(function* () {
  const leaving: Array<() => void> = []
  yield* Effect.acquireRelease(
    Effect.sync(() => onPrimary(({ kind }) => (kind === "port_left" ? leaving.shift()?.() : undefined))),
    (stop) => Effect.sync(stop)
  )
  // Messages arrive in order: before the answer, this process has returned each connection that it was still handed.
  return Effect.callback<void>((resume) => {
    leaving.push(() => resume(Effect.void))
    toPrimary({ kind: "leave_port" })
  }).pipe(Effect.timeoutOption(patience), Effect.asVoid)
})

export const layer = Layer.effect(LeftPort, make)
