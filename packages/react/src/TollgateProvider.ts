import type { Client } from "@tollgate/client/Client"
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { createContext, createElement, type ReactElement, type ReactNode, useContext, useEffect, useMemo } from "react"

/** Runs effects on one client. */
export interface Runner {
  /** Returns a function that interrupts the effect, which closes its connection. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Client>, onExit: (exit: Exit.Exit<A, E>) => void) => () => void
  /** Interrupts what runs and releases the client. The next run builds it again: strict mode unmounts and mounts. */
  readonly close: () => void
}

const makeRunner = (client: Layer.Layer<Client>): Runner => {
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

const Context = createContext<Runner | undefined>(undefined)

export interface TollgateProviderProps {
  /** `layer({ … })` of `@tollgate/browser`. Make it once, outside components: another one ends the calls in flight. */
  readonly client: Layer.Layer<Client>
  readonly children?: ReactNode
}

/** Gives the hooks below it their client. */
export const TollgateProvider = ({ children, client }: TollgateProviderProps): ReactElement => {
  const runner = useMemo(() => makeRunner(client), [client])
  useEffect(() => runner.close, [runner])
  return createElement(Context, { value: runner }, children)
}

export const useRunner = (): Runner => {
  const runner = useContext(Context)
  if (runner === undefined) throw new Error("No client: put <TollgateProvider client={…}> around this component")
  return runner
}
