import type { Accounts, AccountsError, Approvals, Grants, Refused, SignIn } from "@tollgate/gateway"
import type { GrantPolicy, Offer } from "@tollgate/gateway/driver"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { Interaction } from "./Interaction.ts"
import { type Message, messages } from "./messages.ts"
import type { Form, Page } from "./Page.ts"

/** Where the pages are, and whether browsers reach them by https. */
export interface Site {
  readonly origin: string
  /** The path of the base URL, without a slash at its end. */
  readonly prefix: string
  readonly isSecure: boolean
}

export const siteAt = (baseUrl: string): Site => {
  const { origin, pathname, protocol } = new URL(baseUrl)
  return { origin, prefix: pathname.replace(/\/$/, ""), isSecure: protocol === "https:" }
}

const secretPattern = /^[\w-]{43}$/

/** With the prefix, a browser takes the cookie only from this host, by https, for all paths. */
const cookieName = ({ isSecure }: Site): string => (isSecure ? "__Host-tollgate_account" : "tollgate_account")

const cookie = (site: Site, value: string, maxAge: string): string =>
  `${cookieName(site)}=${value}; Path=/; HttpOnly; SameSite=Lax${maxAge}${site.isSecure ? "; Secure" : ""}`

const valuesIn = (header: string, name: string): ReadonlyArray<string> =>
  header.split(/; */).flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []))

export const sessionCookie = (site: Site, secret: string, millis: number) => ({
  "set-cookie": cookie(site, secret, `; Max-Age=${Math.floor(millis / 1_000)}`)
})

export const noCookie = (site: Site) => ({ "set-cookie": cookie(site, "", "; Max-Age=0") })

/**
 * One browser's visit. Its cookie holds the secret of a session, or before the sign-in a random one, which no store knows:
 * either proves that a form comes from a page that this browser was shown.
 */
export class Visit {
  readonly #site: Site
  readonly secret: string
  /** Sets the cookie if the browser had none. */
  readonly headers: Readonly<Record<string, string>>

  constructor(site: Site, { cookie: header = "" }: IncomingHttpHeaders) {
    const [known, ...more] = valuesIn(header, cookieName(site))
    const isKnown = known !== undefined && more.length === 0 && secretPattern.test(known)
    this.#site = site
    this.secret = isKnown ? known : randomBytes(32).toString("base64url")
    this.headers = isKnown ? {} : { "set-cookie": cookie(site, this.secret, "") }
  }

  /** A form that posts to this path. Its token is good for this visit and this path only. */
  form(path: string): Form {
    return { action: `${this.#site.prefix}${path}`, token: this.#tokenFor(path) }
  }

  isToken(path: string, token: string | undefined): boolean {
    const expected = Buffer.from(this.#tokenFor(path))
    const given = Buffer.from(token ?? "")
    return given.length === expected.length && timingSafeEqual(given, expected)
  }

  #tokenFor(path: string): string {
    return createHmac("sha256", this.secret).update(`form ${path}`).digest("base64url")
  }
}

/**
 * Whether the browser says that another site sent the form. `Referrer-Policy: no-referrer` makes the origin of our own forms
 * `null`, so it counts only where the browser does not send `Sec-Fetch-Site`.
 */
export const isCrossOrigin = ({ origin }: Site, headers: IncomingHttpHeaders): boolean => {
  const from = headers["sec-fetch-site"]
  if (from !== undefined) return from !== "same-origin"
  return headers.origin !== undefined && headers.origin !== origin
}

/** There is nothing to do but to say why. */
export class Stopped extends Data.TaggedError("Stopped")<{ readonly message: Message }> {}

export const stop = (message: Message): Effect.Effect<never, Stopped> => Effect.fail(new Stopped({ message }))

export type Fields = ReadonlyMap<string, string>

export const noFields: Fields = new Map()

const maxFields = 300

const decoder = new TextDecoder("utf-8", { fatal: true })

export const readForm = (contentType: string | undefined, body: Uint8Array): Effect.Effect<Fields, Stopped> => {
  const [type = ""] = (contentType ?? "").split(";")
  if (type.trim().toLowerCase() !== "application/x-www-form-urlencoded") return stop(messages[415])
  return Effect.flatMap(
    Effect.try({ try: () => decoder.decode(body), catch: () => new Stopped({ message: messages[400] }) }),
    (text) => {
      const pairs = [...new URLSearchParams(text)]
      const fields = new Map(pairs)
      return fields.size !== pairs.length || pairs.length > maxFields ? stop(messages[400]) : Effect.succeed(fields)
    }
  )
}

/** A request for a page, or from one. */
export interface Ask {
  readonly name: string
  readonly site: Site
  readonly visit: Visit
  /** Empty unless a form was posted. */
  readonly form: Fields
  readonly address: string | undefined
  readonly requestId: string
  /** What people who give access are proposed, and may choose. */
  readonly policy: GrantPolicy
  /** The operations of the gateway. `undefined`: there is nothing to choose from. */
  readonly offer: (() => Offer) | undefined
  /** Where people manage what they allowed, if the gateway has its console. */
  readonly grantsPage: string | undefined
  readonly interaction: (uid: string) => Effect.Effect<Interaction, Stopped>
}

export type Services = Accounts | Approvals | Grants | SignIn

export type Answer = Effect.Effect<Page, Stopped | SqlError | AccountsError | Refused, Services>
