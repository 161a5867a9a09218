import { type BrowserOptions, layer } from "@tollgate/browser"
import type { Client } from "@tollgate/client/Client"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { useSyncExternalStore } from "react"
import { baseUrl, outside } from "./gateway.ts"

/** An account and the operator sign in apart. */
type Who = "account" | "operator"

export type SignedInBy = "key" | "demo" | "oauth"

/** Which session this browser has, and how it began. What opens it is in a cookie that no script can read. */
export interface Kept {
  readonly id: string
  readonly by: SignedInBy
}

export interface Session extends Kept {
  /** For calls of operations: paced, as a program would make them. */
  readonly client: Layer.Layer<Client>
  /** For `/account/v1` and `/admin/v1`, whose requests do not count towards the key's limits. */
  readonly api: Layer.Layer<Client>
}

/** Who is signed in, or why nobody is. */
export interface State {
  readonly session?: Session | undefined
  /** Why the last session ended, or could not begin. */
  readonly ended?: string | undefined
}

/** What the gateway requires besides the cookie: only a page of its own can send it. It names the session that the page means. */
const header = "x-tollgate-console"

/** The page waits for the answer. */
const deadlineMillis = 20_000

/** Why no session began. Without `status` the gateway could not be reached. */
export interface NotBegun {
  readonly status?: number
  readonly message: string
  /** In milliseconds. */
  readonly retryAfter?: number
}

const refusalOf = async (answer: Response): Promise<NotBegun> => {
  const body = (await answer.json().catch(() => undefined)) as { readonly error?: { readonly message?: string } }
  const seconds = Number(answer.headers.get("retry-after") ?? Number.NaN)
  return {
    status: answer.status,
    message: body?.error?.message ?? `The gateway answered with ${answer.status}.`,
    ...(Number.isNaN(seconds) ? {} : { retryAfter: seconds * 1_000 })
  }
}

/** The client of a session. In place of a credential, the browser sends its cookie. */
const clientOf = (id: string, options: Pick<BrowserOptions, "afterResponse" | "pace"> = {}): Layer.Layer<Client> =>
  layer({
    baseUrl,
    ...options,
    credential: Redacted.make(id),
    fetch: (url: string, init: RequestInit) => {
      const headers = new Headers(init.headers)
      headers.delete("authorization")
      headers.set(header, id)
      return fetch(url, { ...init, headers, credentials: "same-origin" })
    }
  })

/** Storage can be turned off: then what is kept in it lasts until the page is left. */
export const attempt = <A>(action: () => A): A | undefined => {
  try {
    return action()
  } catch {
    return undefined
  }
}

const decode = (text: string | null): Kept | undefined => {
  const [, id, by] = /^(\w+) (key|demo|oauth)$/.exec(text ?? "") ?? []
  return id === undefined ? undefined : { id, by: by as SignedInBy }
}

/** The sessions of this browser, one at a time, the same in all tabs. `endedBy`: why the gateway accepts one no longer. */
const makeSessions = (who: Who, name: string, endedBy: Readonly<Record<SignedInBy, string>>) => {
  const listeners = new Set<() => void>()
  let state: State = {}
  const set = (next: State): void => {
    state = next
    for (const listener of listeners) listener()
  }
  const kept = (): Kept | undefined => attempt(() => decode(localStorage.getItem(name)))
  /** Another tab may have begun another session, which stays. */
  const forget = (id: string): void => {
    if (kept()?.id === id) attempt(() => localStorage.removeItem(name))
  }
  const sessionOf = ({ by, id }: Kept): Session => {
    const afterResponse = ({ status }: { readonly status: number }) => {
      if (status !== 401) return
      forget(id)
      // Another session may have begun meanwhile.
      if (state.session?.id === id) set({ ended: endedBy[by] })
    }
    return { by, id, client: clientOf(id), api: clientOf(id, { pace: false, afterResponse }) }
  }
  addEventListener("storage", ({ key }) => {
    // No key: everything was removed.
    if (key !== name && key !== null) return
    const other = kept()
    const { session } = state
    if (other === undefined) set({ ended: session && "You signed out in another tab." })
    // What this page shows is another's. It begins anew.
    else if (session !== undefined && session.id !== other.id) location.reload()
    else if (session === undefined) set({ session: sessionOf(other) })
  })
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    use: (): State => useSyncExternalStore(subscribe, () => state),
    /** The session that this browser had before the page was loaded. `ended`: why no other one began. */
    restore: (ended?: string): void => {
      const before = kept()
      set({ session: before && sessionOf(before), ended })
    },
    /** Hands the credential over for a session of this browser. The gateway checks it as on any call. Succeeds with why it did not begin. */
    begin: async (credential: string, by: SignedInBy): Promise<NotBegun | undefined> => {
      try {
        const answer = await fetch(outside(`/console/${who}`), {
          method: "POST",
          cache: "no-store",
          headers: { authorization: `Bearer ${credential}`, [header]: "new" },
          signal: AbortSignal.timeout(deadlineMillis)
        })
        if (!answer.ok) return await refusalOf(answer)
        const { id } = (await answer.json()) as { readonly id: string }
        attempt(() => localStorage.setItem(name, `${id} ${by}`))
        set({ session: sessionOf({ id, by }) })
        return undefined
      } catch {
        return { message: "The gateway cannot be reached. Check that it is running, and try again." }
      }
    },
    /** Ends it in all tabs. If the gateway does not hear of it, the session ends by itself. */
    signOut: (): void => {
      const { session } = state
      set({})
      if (session === undefined) return
      forget(session.id)
      const request = { method: "DELETE", headers: { [header]: session.id }, keepalive: true }
      void fetch(outside(`/console/${who}`), request).catch(() => {})
    }
  }
}

const ended = (why: string): string => `You are signed out. The session has ended, or ${why}.`

export const account = makeSessions("account", "tollgate.session", {
  key: ended("its key was revoked or has expired"),
  demo: ended("the demo key no longer works"),
  oauth: ended("the app was revoked")
})

const operatorEnded = ended("the gateway has another admin token now")

export const operator = makeSessions("operator", "tollgate.operator", {
  key: operatorEnded,
  demo: operatorEnded,
  oauth: operatorEnded
})
operator.restore()

/** The client of somebody who has no session. */
export const signedOut = layer({ baseUrl, credential: Effect.fail("nobody is signed in"), pace: false })
