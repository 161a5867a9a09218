import { invalid, type Refused } from "@tollgate/contract/errors/Refused"
import { foldedName } from "../../internal/names.ts"

export type Names = Readonly<Record<string, string>>

export const upstreamsName = (names: Names, name: string): string =>
  Object.hasOwn(names, name) ? (names[name] ?? name) : name

/** The caller's name for what the upstream calls `name`. */
export const callersName = (names: Names, name: string): string =>
  Object.keys(names).find((own) => names[own] === name) ?? name

const folded = new WeakMap<Names, ReadonlyMap<string, string>>()

/** The caller's names, by any spelling of theirs and of the upstream's. */
const foldedOf = (names: Names): ReadonlyMap<string, string> => {
  const known = folded.get(names)
  if (known !== undefined) return known
  const made = new Map<string, string>()
  for (const [own, sentAs] of Object.entries(names)) {
    made.set(foldedName(sentAs), own)
    made.set(foldedName(own), own)
  }
  folded.set(names, made)
  return made
}

/**
 * A caller who uses the upstream's name, in whatever spelling, would send two values under it, or one that was not checked.
 * `undefined`: it is not taken.
 */
export const takenName = (names: Names, name: string, part: "query" | "body"): Refused | undefined => {
  if (Object.hasOwn(names, name)) return undefined
  const own = foldedOf(names).get(foldedName(name))
  return own === undefined
    ? undefined
    : invalid(name, `this ${part === "query" ? "parameter" : "field"} is called ${own} here.`)
}

/** Credentials, what belongs to one connection, and what the gateway sets itself. */
const notSent = new Set([
  "accept-encoding",
  "api-key",
  "authorization",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "cookie",
  "expect",
  "forwarded",
  "host",
  "http2-settings",
  "keep-alive",
  "set-cookie",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "via",
  "x-api-key",
  "x-goog-api-key",
  "x-request-id"
])

const prefixesNotSent = ["proxy-", "x-forwarded-"]

/** Whether a header of the caller may be sent on. `name` is in lower case; `provider` is the gateway's name in headers. */
export const isForwardable = (name: string, provider: string): boolean =>
  /^[!#$%&'*+.^_`|~a-z0-9-]+$/.test(name) &&
  !notSent.has(name) &&
  !name.startsWith(`x-${provider.toLowerCase()}-`) &&
  !prefixesNotSent.some((prefix) => name.startsWith(prefix))

/** Text that a header can hold: a tab, and Latin-1 without control characters. */
export const isHeaderValue = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
