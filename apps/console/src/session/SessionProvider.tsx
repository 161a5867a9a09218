import { layer } from "@tollgate/browser"
import { TollgateProvider } from "@tollgate/react"
import * as Effect from "effect/Effect"
import { createContext, type ReactNode, use, useEffect, useMemo, useState } from "react"
import { baseUrl } from "./gateway.ts"
import { forget, keep, onOtherTab } from "./kept.ts"
import type { Start } from "./restore.ts"
import { type Session, sessionOf } from "./Session.ts"

export interface Sessions {
  readonly session: Session | undefined
  /** Why the last session ended, or could not begin. */
  readonly ended: string | undefined
  readonly begin: (session: Session) => void
  readonly signOut: () => void
}

const Context = createContext<Sessions | undefined>(undefined)

/** Without a credential. Another tree for it would mount every page again at each sign-in. */
const signedOut = layer({ baseUrl, credential: Effect.fail("nobody is signed in"), pace: false })

/** Who is signed in. */
export const SessionProvider = ({ children, start }: { readonly start: Start; readonly children: ReactNode }) => {
  const [{ ended, session }, setState] = useState(start)
  const sessions = useMemo(
    (): Sessions => ({
      session,
      ended,
      begin: (session) => {
        keep("account", session)
        setState({ session })
      },
      signOut: () => {
        setState({})
        if (session === undefined) return
        forget("account", session.id)
        void session.leave()
      }
    }),
    [session, ended]
  )
  useEffect(() => {
    session?.onEnd((why) => {
      forget("account", session.id)
      // Another session may have begun meanwhile.
      setState((current) => (current.session === session ? { ended: why } : current))
    })
  }, [session])
  useEffect(
    () =>
      onOtherTab("account", (kept) => {
        if (kept === undefined) setState({ ended: session && "You signed out in another tab." })
        // What this page shows is another account's. It begins anew.
        else if (session !== undefined && session.id !== kept.id) location.reload()
        else if (session === undefined) setState({ session: sessionOf(kept) })
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
