import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { ConsoleSessions, type Kind } from "../../identity/console/ConsoleSessions.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { refuse } from "@tollgate/contract/errors/Refused"
import { BaseUrl } from "../../exchange/BaseUrl.ts"
import * as RequestIds from "../../exchange/RequestIds.ts"
import type { Gateway } from "../../call/Gateway.ts"
import { NameLimit } from "../../limits/NameLimit.ts"
import type { Admin } from "../admin/Admin.ts"
import type { Asking } from "../admin/AdminRequest.ts"
import type { EndpointGroup, PageCredentials } from "../EndpointGroup.ts"
import { requestOf } from "../http/Http.ts"
import { failure, reply } from "../jsonAnswers.ts"
import { time } from "../managementApi/shapes.ts"
import { bearerOf } from "../operatorToken.ts"

/** Only a page of this origin can send it with the cookie: no form can, and no other site is allowed to. */
export const header = "x-tollgate-console"

export interface Site {
  readonly origin: string
  readonly isSecure: boolean
}

const originPattern = /^(https?):\/\/([^/]+)/

export const siteAt = (baseUrl: string): Site => {
  const [origin = "", scheme] = originPattern.exec(baseUrl) ?? []
  return { origin, isSecure: scheme === "https" }
}

const hostOf = (origin: string): string | undefined => originPattern.exec(origin)?.[2]

/** Whether a page of this gateway sent the request. Browsers set `Sec-Fetch-Site` and `Origin`, and pages cannot. */
export const isOwnPage = ({ headers, method }: HttpServerRequest, site: Site): boolean => {
  if (headers[header] === undefined) return false
  const from = headers["sec-fetch-site"]
  if (from !== undefined) return from === "same-origin"
  // Browsers leave it out where the address is neither https nor on the same machine.
  const { host, origin } = headers
  if (origin !== undefined) return origin === site.origin || (host !== undefined && hostOf(origin) === host)
  return method === "GET"
}

const names = { account: "tollgate_console", operator: "tollgate_operator", signIn: "tollgate_sign_in" }
type Cookie = keyof typeof names

/** With the prefix, a browser takes the cookie only from this host, by https, for all paths. */
export const nameOf = (cookie: Cookie, { isSecure }: Site): string => `${isSecure ? "__Host-" : ""}${names[cookie]}`

/** The header that sets the cookie. That of a sign-in is sent when another site, the provider, leads back here. */
export const setCookie = (cookie: Cookie, site: Site, value: string, millis: number) => ({
  "set-cookie":
    `${nameOf(cookie, site)}=${value}; Path=/; HttpOnly; SameSite=${cookie === "signIn" ? "Lax" : "Strict"}; ` +
    `Max-Age=${Math.floor(millis / 1_000)}${site.isSecure ? "; Secure" : ""}`
})

/** The secret of the browser's session. Of two cookies with this name one may be another site's, so neither counts. */
export const secretIn = ({ headers }: HttpServerRequest, kind: Cookie, site: Site): string | undefined => {
  const start = `${nameOf(kind, site)}=`
  const values = (headers["cookie"] ?? "").split(/; */).filter((pair) => pair.startsWith(start))
  return values.length === 1 ? values[0]?.slice(start.length) : undefined
}

const paths = { "/console/account": "account", "/console/operator": "operator" } as const

/** How many sessions one key may begin, or the operator. Nobody can use up what another may. */
const limit = { burst: 120, perMinute: 120 }

/** Longer ones are no credentials of this gateway. */
const maxCredential = 4_096

const operatorOf = ({ id }: Pick<Asking, "id">) => ({ account: "operator", owner: id ?? "operator" })

const challenge = { headers: { "WWW-Authenticate": "Bearer" } }
const notOwnPage = refuse("missing_credential", "Only the console's own page may do this.", challenge)
const missing = refuse("missing_credential", "Send a credential: Authorization: Bearer <key>.", challenge)
const tooLong = refuse("invalid_credential", "The credential is too long.", challenge)
const tooMany = (retryAfter: number) =>
  refuse("rate_limit_exceeded", "Too many sign-ins with this credential; slow down.", { retryAfter })
const wrongMethod = refuse("method_not_allowed", "This path allows POST, DELETE.", {
  headers: { Allow: "POST, DELETE" }
})

const operatorPath = /^\/admin\/v1(?:[/?]|$)/
/** They have sessions, cookies and credentials of their own. */
const otherPath = /^\/(?:oauth|console|\.well-known)(?:[/?]|$)/

const kindAt = (url: string): Kind | undefined => {
  if (operatorPath.test(url)) return "operator"
  return otherPath.test(url) ? undefined : "account"
}

/**
 * Sessions of the console. A page hands over the credential that somebody signed in with, and its browser gets a cookie. `pages`
 * puts the credential back on each request that the console's page sends with it. Everything behind it sees a request like others.
 */
export const make = Effect.fnUntraced(function* (
  gateway: () => Gateway,
  admin: Pick<Admin, "authenticate" | "isToken" | "withLink">
) {
  const sessions = yield* ConsoleSessions
  const site = siteAt(yield* BaseUrl)
  const nextId = yield* RequestIds.make
  const begun = new NameLimit(limit)

  /** Authenticates the credential as a call would: its account and its key. Sessions are bounded per key, so that a weak key cannot end another's. */
  const ownerOf = Effect.fnUntraced(function* (kind: Kind, request: HttpServerRequest, credential: string) {
    const headers = { authorization: `Bearer ${credential}` }
    if (kind === "operator") {
      return operatorOf(yield* admin.authenticate(request.modify({ headers: Headers.fromInput(headers) })))
    }
    const { accept, authenticate } = gateway()
    const { principal } = yield* authenticate(accept({ ...requestOf(request), url: "/account/v1", headers }))
    if (principal === undefined) return yield* missing
    const { account, key, rootKey = key } = principal
    return { account, owner: rootKey ?? account }
  })

  const begin = Effect.fnUntraced(function* (kind: Kind, request: HttpServerRequest) {
    const given = bearerOf(request.headers)
    if (given === undefined) return yield* missing
    if (given.length > maxCredential) return yield* tooLong
    const linked = kind === "operator" ? yield* admin.withLink(given) : undefined
    const credential = linked === undefined ? given : Redacted.value(linked)
    const { account, owner } = yield* ownerOf(kind, request, credential)
    const now = yield* Clock.currentTimeMillis
    const wait = begun.take(owner, now)
    if (wait > 0) return yield* tooMany(wait)
    const before = secretIn(request, kind, site)
    const { endsAt, id, secret } = yield* sessions.begin(kind, owner, Redacted.make(credential))
    if (before !== undefined) yield* sessions.end(kind, before)
    return {
      status: 201,
      body: { id, account, ends_at: time(endsAt) },
      headers: setCookie(kind, site, Redacted.value(secret), endsAt - now)
    }
  })

  /** Another tab may have signed in as somebody else. That session stays. */
  const end = Effect.fnUntraced(function* (kind: Kind, request: HttpServerRequest) {
    const secret = secretIn(request, kind, site)
    const ended = secret !== undefined && (yield* sessions.end(kind, secret, request.headers[header]))
    return { status: 200, body: { ended }, headers: ended ? setCookie(kind, site, "", 0) : {} }
  })

  const execute = Effect.fnUntraced(function* (kind: Kind, request: HttpServerRequest) {
    if (request.method !== "POST" && request.method !== "DELETE") return yield* wrongMethod
    if (!isOwnPage(request, site)) return yield* notOwnPage
    return yield* request.method === "POST" ? begin(kind, request) : end(kind, request)
  })

  const answer = (request: HttpServerRequest, path: string): Effect.Effect<HttpServerResponse> => {
    const requestId = nextId()
    return Effect.matchCauseEffect(execute(paths[path as keyof typeof paths], request), {
      onSuccess: ({ body, headers, status }) => Effect.succeed(reply(status, body, requestId, headers)),
      onFailure: (cause) => failure(cause, requestId, "console session")
    })
  }

  const credentialOf = Effect.fnUntraced(function* (request: HttpServerRequest) {
    const kind = kindAt(request.url)
    if (kind === undefined || request.headers.authorization !== undefined || !isOwnPage(request, site)) return request
    const secret = secretIn(request, kind, site)
    if (secret === undefined) return request
    const found = yield* sessions.find(kind, secret, request.headers[header] ?? "")
    if (Option.isNone(found)) return request
    // Sent on, a token that was replaced would count as a wrong guess.
    if (kind === "operator" && !(yield* admin.isToken(Redacted.value(found.value)))) {
      yield* sessions.end(kind, secret)
      return request
    }
    const headers = Headers.remove(request.headers, "cookie")
    return request.modify({ headers: Headers.set(headers, "authorization", `Bearer ${Redacted.value(found.value)}`) })
  })

  const endpoints: EndpointGroup = { paths: Object.keys(paths), answer }
  const pages: PageCredentials = {
    header,
    add: (request) =>
      Effect.catchCause(credentialOf(request), (cause) => Effect.flip(failure(cause, nextId(), "console session")))
  }
  return { endpoints, pages }
})
