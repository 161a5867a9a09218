import type { PromiseClient } from "@tollgate/browser"
import { createContext, createElement, type ReactElement, type ReactNode, useContext } from "react"

const Context = createContext<PromiseClient | undefined>(undefined)

export interface TollgateProviderProps {
  /** `createClient({ … })` of `@tollgate/browser`. Make it once, outside components. */
  readonly client: PromiseClient
  readonly children?: ReactNode
}

/** Gives the hooks below it their client. */
export const TollgateProvider = ({ children, client }: TollgateProviderProps): ReactElement =>
  createElement(Context, { value: client }, children)

export const missing = "No client: put <TollgateProvider client={…}> around this component"

/** The client, for calls that no hook makes. */
export const useClient = (): PromiseClient => {
  const client = useContext(Context)
  if (client === undefined) throw new Error(missing)
  return client
}

/** The names of the client's functions of this type. */
export type NameOf<F> = { [K in keyof PromiseClient]: PromiseClient[K] extends F ? K : never }[keyof PromiseClient]
