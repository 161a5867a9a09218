import type { Client } from "@tollgate/client/Client"
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"

/** Runs effects on one client. */
export interface Runner {
  /** Returns a function that interrupts the effect, which closes its connection. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Client>, onExit: (exit: Exit.Exit<A, E>) => void) => () => void
  /** Interrupts what runs and releases the client. The next run builds it again: strict mode unmounts and mounts. */
  readonly close: () => void
}

export const makeRunner = (client: Layer.Layer<Client>): Runner => {
  let runtime: ManagedRuntime.ManagedRuntime<Client, never> | undefined
  return {
    run: (effect, onExit) => {
      runtime ??= ManagedRuntime.make(client)
      return runtime.runCallback(effect, { onExit })
    },
    close: () => {
      void runtime?.dispose()
      runtime = undefined
    }
  }
}
