import { layer } from "@tollgate/browser"
import { TollgateProvider } from "@tollgate/react"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createContext, type ReactNode, use, useMemo, useState } from "react"
import type { Session, SignedInBy } from "./Session.ts"

export interface Sessions {
  readonly session: Session | undefined
  readonly signInWithKey: (key: string, by?: SignedInBy) => void
  readonly signOut: () => void
}

const Context = createContext<Sessions | undefined>(undefined)

const sessionOf = (key: string, by: SignedInBy): Session => {
  // The one who opens this page typed the key: nobody else gets to read it.
  const options = { baseUrl: location.origin, credential: Redacted.make(key), allowKeyInPage: true }
  return { by, client: layer(options), account: layer({ ...options, pace: false }) }
}

/** Without a credential. Another tree for it would mount every page again at each sign-in. */
const signedOut = layer({ baseUrl: location.origin, credential: Effect.fail("nobody is signed in"), pace: false })

/** Who is signed in. A reload signs out: a key is kept in memory only. */
export const SessionProvider = ({ children }: { readonly children: ReactNode }) => {
  const [session, setSession] = useState<Session>()
  const sessions = useMemo(
    (): Sessions => ({
      session,
      signInWithKey: (key, by = "key") => setSession(sessionOf(key, by)),
      signOut: () => setSession(undefined)
    }),
    [session]
  )
  return (
    <Context value={sessions}>
      <TollgateProvider client={session?.account ?? signedOut}>{children}</TollgateProvider>
    </Context>
  )
}

export const useSessions = (): Sessions => {
  const sessions = use(Context)
  if (sessions === undefined) throw new Error("No session: put <SessionProvider> around this component")
  return sessions
}
