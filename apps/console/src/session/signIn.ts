import { gateway, outside } from "./gateway.ts"
import { account } from "./sessions.ts"

/** The page waits for the answer. */
const deadlineMillis = 3_000

const askForDemo = async (method: "GET" | "POST"): Promise<Readonly<Record<string, unknown>>> => {
  const signal = AbortSignal.timeout(deadlineMillis)
  const answer = await fetch(outside("/account/v1/demo"), { method, cache: "no-store", signal })
  return answer.ok ? ((await answer.json()) as Record<string, unknown>) : {}
}

/** Whether this gateway gives its demo key to this page: on the machine where it was started first. */
export const hasDemo = (): Promise<boolean> =>
  askForDemo("GET").then(
    ({ available }) => available === true,
    () => false
  )

/** Whether it worked: the gateway may no longer offer its demo key. */
export const withDemo = async (): Promise<boolean> => {
  const { key } = await askForDemo("POST").catch(() => ({ key: undefined }))
  return typeof key === "string" && (await account.begin(key, "demo")) === undefined
}

const wrongKey = "This key does not work here. It may be incomplete, revoked, or from another gateway."

/** Succeeds with what is wrong with the key. */
export const withKey = async (key: string): Promise<string | undefined> => {
  // What no key contains would not fit into a header either.
  if (!/^[\x21-\x7e]+$/.test(key)) return wrongKey
  const refusal = await account.begin(key, "key")
  return refusal?.status === 401 ? wrongKey : refusal?.message
}

/** A page of the console to go to, from an address that anybody may have written. All else leads to the first page. */
export const safePath = (wanted: string | null | undefined): string => {
  // Browsers read "//" and "/\" as the start of a host, and drop tabs and line ends.
  if (typeof wanted !== "string" || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(wanted)) return "/"
  const url = URL.parse(wanted, location.origin)
  return url === null || url.origin !== location.origin || url.pathname === "/sign-in"
    ? "/"
    : `${url.pathname}${url.search}${url.hash}`
}

const isAnswer = ({ pathname, search }: Location): boolean => {
  const query = new URLSearchParams(search)
  return pathname === outside("/sign-in") && query.has("state") && (query.has("code") || query.has("error"))
}

/** Completes the sign-in that this address answers. The console's own access token is good for nothing then. */
const complete = async (): Promise<void> => {
  const { complete } = await import("./oauth.ts")
  const { from, problem, token } = await complete()
  const wrong = token === undefined ? problem : (await account.begin(token, "oauth"))?.message
  const began = token !== undefined && wrong === undefined
  const wanted = began && from !== undefined ? new URL(from, location.origin).searchParams.get("to") : null
  history.replaceState(null, "", outside(began ? safePath(wanted) : "/sign-in"))
  // Anybody can make such a link: it ends no session.
  if (!began) account.restore(wrong)
}

const failed = "You could not be signed in. The gateway cannot be reached, or its console has changed."

/** Finds who is signed in when the console is opened. */
export const restore = (): Promise<void> | void =>
  gateway.authorizationServer !== null && isAnswer(location)
    ? complete().catch(() => account.restore(failed))
    : account.restore()
