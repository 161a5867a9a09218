import { gateway, outside } from "./gateway.ts"
import { keep, kept } from "./kept.ts"
import { type Session, sessionOf } from "./Session.ts"

/** A page of the console to go to, from an address that anybody may have written. All else leads to the first page. */
export const safePath = (asked: string | null | undefined): string => {
  // Browsers read "//" and "/\" as the start of a host, and drop tabs and line ends.
  if (typeof asked !== "string" || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(asked)) return "/"
  const url = URL.parse(asked, location.origin)
  return url === null || url.origin !== location.origin || url.pathname === "/sign-in"
    ? "/"
    : `${url.pathname}${url.search}${url.hash}`
}

/** Who is signed in when the console is opened, and why nobody is. */
export interface Start {
  readonly session?: Session | undefined
  readonly ended?: string | undefined
}

const isAnswer = ({ pathname, search }: Location): boolean => {
  const query = new URLSearchParams(search)
  return pathname === outside("/sign-in") && query.has("state") && (query.has("code") || query.has("error"))
}

/** The session that this browser had before the page was loaded. */
const sessionBefore = (): Start => {
  const before = kept("account")
  return { session: before && sessionOf(before) }
}

const returned = async (): Promise<Start> => {
  const { complete } = await import("./oauth.ts")
  const { from, problem, session } = await complete()
  if (session === undefined) {
    history.replaceState(null, "", outside("/sign-in"))
    // Anybody can make such a link: it ends no session.
    return { ...sessionBefore(), ended: problem }
  }
  keep("account", session)
  const asked = from === undefined ? null : new URL(from, location.origin).searchParams.get("to")
  history.replaceState(null, "", outside(safePath(asked)))
  return { session }
}

export const restore = (): Start | Promise<Start> =>
  gateway.authorizationServer !== null && isAnswer(location) ? returned() : sessionBefore()
