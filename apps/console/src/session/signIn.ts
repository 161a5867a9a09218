import { beginSession, type NotBegun } from "./cookie.ts"
import { outside } from "./gateway.ts"
import type { SignedInBy } from "./kept.ts"
import { type Session, sessionOf } from "./Session.ts"

/** The page waits for the answer. */
const deadlineMillis = 3_000

const ask = async (method: "GET" | "POST"): Promise<Readonly<Record<string, unknown>>> => {
  const signal = AbortSignal.timeout(deadlineMillis)
  const answer = await fetch(outside("/account/v1/demo"), { method, cache: "no-store", signal })
  return answer.ok ? ((await answer.json()) as Record<string, unknown>) : {}
}

/** Whether this gateway gives its demo key to this page: on the machine where it was started first. */
export const hasDemo = (): Promise<boolean> =>
  ask("GET").then(
    ({ available }) => available === true,
    () => false
  )

const begun = async (credential: string, by: SignedInBy): Promise<Session | NotBegun> => {
  const id = await beginSession("account", credential)
  return typeof id === "string" ? sessionOf({ id, by }) : id
}

/** `undefined`: the gateway offers no demo key, or it does not work. */
export const withDemo = async (): Promise<Session | undefined> => {
  const { key } = await ask("POST").catch(() => ({ key: undefined }))
  const session = typeof key === "string" ? await begun(key, "demo") : undefined
  return session !== undefined && "by" in session ? session : undefined
}

const wrongKey = "This key does not work here. It may be incomplete, revoked, or from another gateway."

/** A session, or what is wrong with the key. */
export const withKey = async (key: string): Promise<Session | string> => {
  // What no key contains would not fit into a header either.
  if (!/^[\x21-\x7e]+$/.test(key)) return wrongKey
  const session = await begun(key, "key")
  if ("by" in session) return session
  return session.status === 401 ? wrongKey : session.message
}

/** A session in place of the console's own access token, which is good for nothing then. */
export const withToken = async (token: string): Promise<Session | string> => {
  const session = await begun(token, "oauth")
  return "by" in session ? session : session.message
}
