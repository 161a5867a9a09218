import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { Kind } from "../../identity/console/ConsoleSessions.ts"
import type { Site } from "./ownPage.ts"

const names = { account: "tollgate_console", operator: "tollgate_operator" } satisfies Record<Kind, string>

/** With the prefix, a browser takes the cookie only from this host, by https, for all paths. */
const nameOf = (kind: Kind, { isSecure }: Site): string => `${isSecure ? "__Host-" : ""}${names[kind]}`

/** The header that sets the cookie. */
export const setCookie = (kind: Kind, site: Site, value: string, millis: number) => ({
  "set-cookie":
    `${nameOf(kind, site)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${Math.floor(millis / 1_000)}` +
    (site.isSecure ? "; Secure" : "")
})

/** The secret of the browser's session. Of two cookies with this name one may be another site's, so neither counts. */
export const secretIn = ({ headers }: HttpServerRequest, kind: Kind, site: Site): string | undefined => {
  const start = `${nameOf(kind, site)}=`
  const values = (headers["cookie"] ?? "").split(/; */).filter((pair) => pair.startsWith(start))
  return values.length === 1 ? values[0]?.slice(start.length) : undefined
}
