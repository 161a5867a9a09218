import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { Client } from "../Client.ts"
import * as Trace from "../trace.ts"
import { CallAborted } from "./CallAborted.ts"
import type { AbortSignalLike } from "./CallOptions.ts"

export type OnFiberStart = (fiber: Fiber.Fiber<unknown, unknown>) => void

interface Circumstances {
  readonly signal: AbortSignalLike | undefined
  /** An error made at the call site, for streams, which are awaited elsewhere. */
  readonly site?: Error | undefined
  readonly onFiberStart: OnFiberStart | undefined
  /** Filled by the call, for whoever wants to read it afterwards. */
  readonly trace?: Trace.Trace
}

export interface Runner {
  readonly run: <A>(effect: Effect.Effect<A, unknown, Client>, circumstances: Circumstances) => Promise<A>
  readonly close: () => Promise<void>
}

/** Appends the caller's stack: the error was made where the answer was read. */
const pointTo = (error: unknown, { stack = "" }: Error): void => {
  if (error instanceof Error) error.stack = `${error.stack ?? ""}\n${stack.slice(stack.indexOf("\n") + 1)}`
}

/** Runs effects on one client, which is built for the first of them. */
export const runner = (layer: Layer.Layer<Client>): Runner => {
  const runtime = ManagedRuntime.make(layer)
  let isClosed = false
  return {
    run: async (effect, { onFiberStart, signal, site, trace = Trace.make() }) => {
      if (isClosed) throw new Error("The client is closed")
      // A fiber would send the request before it sees that the signal is aborted.
      trace.aborted = signal?.aborted === true
      const exit = await runtime.runPromiseExit(Effect.provideService(effect, Trace.Trace, trace), {
        ...(signal === undefined ? {} : { signal }),
        ...(onFiberStart === undefined ? {} : { onFiberStart })
      })
      if (Exit.isSuccess(exit)) return exit.value
      if (Cause.hasInterruptsOnly(exit.cause)) {
        if (signal?.aborted === true) throw new CallAborted(trace, signal.reason)
        if (isClosed) throw new CallAborted(trace, undefined, "The client was closed during the call")
      }
      const error = Cause.squash(exit.cause)
      // After the await the engine knows the async callers; a stack for each call would cost as much as its request.
      if (Cause.hasFails(exit.cause)) pointTo(error, site ?? new Error())
      throw error
    },
    close: () => {
      isClosed = true
      return runtime.dispose()
    }
  }
}
