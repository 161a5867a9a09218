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
  /** Made where the caller called, for what is not waited for there. */
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

/** An error is made where an answer is read, from which no way leads back to whoever waits for it. */
const pointTo = (error: unknown, { stack = "" }: Error): void => {
  if (error instanceof Error) error.stack = `${error.stack ?? ""}\n${stack.slice(stack.indexOf("\n") + 1)}`
}

/** Runs effects on one client, which is made for the first. */
export const runner = (layer: Layer.Layer<Client>): Runner => {
  const runtime = ManagedRuntime.make(layer)
  let isClosed = false
  return {
    run: async (effect, { onFiberStart, signal, site }) => {
      if (isClosed) throw new Error("The client is closed")
      // Before the first step: a fiber would send the request before it hears of the signal.
      throwIfAborted(signal)
      const exit = await runtime.runPromiseExit(effect, {
        ...(signal === undefined ? {} : { signal }),
        ...(onFiberStart === undefined ? {} : { onFiberStart })
      })
      if (Exit.isSuccess(exit)) return exit.value
      if (Cause.hasInterruptsOnly(exit.cause)) {
        // As `fetch` does: an aborted call rejects with the signal's own reason.
        throwIfAborted(signal)
        if (isClosed) throw new Error("The client was closed during the call")
      }
      const error = Cause.squash(exit.cause)
      // Here, after the wait, the engine knows who waits; a stack made with each call would cost as much as its request.
      if (Cause.hasFails(exit.cause)) pointTo(error, site ?? new Error())
      throw error
    },
    close: () => {
      isClosed = true
      return runtime.dispose()
    }
  }
}
