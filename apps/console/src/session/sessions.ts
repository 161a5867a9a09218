import { attempt } from "@tollgate/contract/attempt"
import { layer } from "@tollgate/browser/effect"
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
  /** Whose it is. */
  readonly account: string | undefined
}

/** It stays the same object if the same account signs in again, and so does the page that uses it. */
export interface Session extends Kept {
  /** For calls of operations: paced, as a program would make them. */
  readonly client: Layer.Layer<Client>
  /** For `/account/v1` and `/admin/v1`, whose requests do not count towards the key's limits. */
  readonly api: Layer.Layer<Client>
}

/** Who is signed in, or why nobody is. */
export interface State {
  readonly session?: Session | undefined
  /** Why the session is over, while its page waits for another one. */
  readonly over?: string | undefined
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

const decode = (text: string | null): Kept | undefined => {
  const [, id, by, account] = /^(\w+) (key|demo|oauth)(?: (\w+))?$/.exec(text ?? "") ?? []
  return id === undefined ? undefined : { id, by: by as SignedInBy, account }
}

/** Kept in place of a session that is over. One that was signed out of is removed. */
const overMark = "over"

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
  const forget = (id: string, change: () => void): void => {
    if (kept()?.id === id) attempt(change)
  }
  /** The page stays, so that nothing that was typed into it is lost. */
  const end = (id: string): void => {
    forget(id, () => localStorage.setItem(name, overMark))
    const { over, session } = state
    if (session?.id === id && over === undefined) set({ session, over: endedBy[session.by] })
  }
  /** Until the same account has signed in again, or nobody wants the answer any more. */
  const again = (id: string, signal: AbortSignal | null | undefined) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (state.session?.id !== id) stop()
      }
      const stop = () => {
        listeners.delete(check)
        resolve()
      }
      listeners.add(check)
      signal?.addEventListener("abort", stop)
      check()
    })
  const sessionOf = (kept: Kept): Session => {
    /** In place of a credential, the browser sends its cookie. */
    const send = (url: string, init: RequestInit) => {
      const headers = new Headers(init.headers)
      headers.delete("authorization")
      headers.set(header, session.id)
      return fetch(url, { ...init, headers, credentials: "same-origin" })
    }
    // What only reads goes on by itself. Nothing else is sent twice.
    const sendAgain = async (url: string, init: RequestInit): Promise<Response> => {
      const { id } = session
      const answer = await send(url, init)
      if (answer.status !== 401) return answer
      end(id)
      if (init.method !== "GET") return answer
      await again(id, init.signal)
      return send(url, init)
    }
    const credential = Redacted.make(kept.id)
    const session: Session = {
      ...kept,
      client: layer({ baseUrl, credential, fetch: send }),
      api: layer({ baseUrl, credential, pace: false, fetch: sendAgain })
    }
    return session
  }
  /** The page goes on with another session of its account. What it shows of another account begins anew. */
  const goOn = (other: Kept): void => {
    const { session } = state
    if (session === undefined) return set({ session: sessionOf(other) })
    if (other.account === undefined || session.account !== other.account) return location.reload()
    set({ session: Object.assign(session, other) })
  }
  const keep = (session: Kept): void => {
    attempt(() => localStorage.setItem(name, `${session.id} ${session.by} ${session.account}`))
    goOn(session)
  }
  addEventListener("storage", ({ key, newValue }) => {
    // No key: everything was removed.
    if (key !== name && key !== null) return
    const other = kept()
    const { session } = state
    if (other !== undefined) return session?.id === other.id ? undefined : goOn(other)
    if (session !== undefined && newValue === overMark) return end(session.id)
    set({ ended: session && "You signed out in another tab." })
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
        const { account, id } = (await answer.json()) as Kept & { readonly account: string }
        keep({ id, by, account })
        return undefined
      } catch {
        return { message: "The gateway cannot be reached. Check that it is running, and try again." }
      }
    },
    /** Takes over a session that the gateway began. Anybody can write such an address: what is not of this browser's cookie ends nothing. */
    adopt: async (id: string): Promise<void> => {
      const answer = await fetch(outside("/admin/v1/me"), { cache: "no-store", headers: { [header]: id } })
      if (answer.ok) keep({ id, by: "oauth", account: who })
    },
    /** Ends it in all tabs. If the gateway does not hear of it, the session ends by itself. */
    signOut: (): void => {
      const { session } = state
      set({})
      if (session === undefined) return
      forget(session.id, () => localStorage.removeItem(name))
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
