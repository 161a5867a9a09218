import * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { Client } from "../Client.ts"
import type { AbortSignalLike } from "./CallOptions.ts"

export type OnFiberStart = (fiber: Fiber.Fiber<unknown, unknown>) => void

interface Circumstances {
  readonly signal: AbortSignalLike | undefined
  /** An error made at the call site, for streams, which are awaited elsewhere. */
  readonly site?: Error | undefined
  readonly onFiberStart: OnFiberStart | undefined
}

export interface Runner {
  readonly run: <A>(effect: Effect.Effect<A, unknown, Client>, circumstances: Circumstances) => Promise<A>
  readonly close: () => Promise<void>
}

const throwIfAborted = (signal: AbortSignalLike | undefined): void => {
  if (signal?.aborted === true) throw signal.reason
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
    run: async (effect, { onFiberStart, signal, site }) => {
      if (isClosed) throw new Error("The client is closed")
      // Checked first: a fiber would send the request before it sees the signal.
      throwIfAborted(signal)
      const exit = await runtime.runPromiseExit(effect, {
        ...(signal === undefined ? {} : { signal }),
        ...(onFiberStart === undefined ? {} : { onFiberStart })
      })
      if (Exit.isSuccess(exit)) return exit.value
      if (Cause.hasInterruptsOnly(exit.cause)) {
        // Like `fetch`, an aborted call rejects with the signal's reason.
        throwIfAborted(signal)
        if (isClosed) throw new Error("The client was closed during the call")
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
