import type { Client } from "@tollgate/client/Client"
import type * as Layer from "effect/Layer"
import { createContext, createElement, type ReactElement, type ReactNode, useContext, useEffect, useMemo } from "react"
import { makeRunner, type Runner } from "./Runner.ts"

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
