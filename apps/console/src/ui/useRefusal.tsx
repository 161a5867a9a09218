import { createContext, type ReactNode, useContext } from "react"

/** The routes that who is signed in may use. `undefined`: all that the page has. */
export const Allowed = createContext<ReadonlyArray<string> | undefined>(undefined)

/** What stands in place of what only others may do: nothing, or whom to ask. `undefined`: who is signed in may do it. */
export const useRefusal = (route: string | undefined, ask: string | undefined): ReactNode => {
  const allowed = useContext(Allowed)
  if (route === undefined || allowed === undefined || allowed.includes(route)) return undefined
  return ask === undefined ? null : <span className="soft small">Ask {ask}.</span>
}
