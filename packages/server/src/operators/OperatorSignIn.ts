import { Role } from "@tollgate/contract/admin/Operator"
import * as Gateway from "@tollgate/gateway"
import { CurrentCause } from "@tollgate/gateway/driver"
import { untrustedText } from "@tollgate/gateway/html"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"

/** An OpenID provider, and what it says of people. */
export interface ProviderSettings {
  readonly issuer: string
  readonly clientId: string
  /** `undefined`: a public client. */
  readonly clientSecret: Redacted.Redacted | undefined
  readonly scopes: ReadonlyArray<string>
  readonly claim: string
  readonly roles: { readonly [R in Role]?: ReadonlyArray<string> }
}

/** `why`: the console has words for each. `reason`: for the log, a code and nothing that was sent. */
class NotSignedIn extends Data.TaggedError("NotSignedIn")<{ readonly why: string; readonly reason?: string }> {}

const paths = { begin: "/console/operator/sign-in", callback: "/console/operator/callback" }

const flowMillis = 600_000
const metadataMillis = 3_600_000
const timeoutSeconds = 5

const connect = async ({ clientId, clientSecret, issuer }: ProviderSettings) => {
  const client = await import("openid-client")
  const way = clientSecret ? client.ClientSecretBasic(Redacted.value(clientSecret)) : client.None()
  const insecure = issuer.startsWith("http:") ? [client.allowInsecureRequests] : []
  const options = { timeout: timeoutSeconds, execute: [client.enableNonRepudiationChecks, ...insecure] }
  return { client, configuration: await client.discovery(new URL(issuer), clientId, undefined, way, options) }
}

/** The provider chooses the words of an error, and so does whoever writes an address. */
const notSignedIn = (cause: unknown) => {
  const { code, error } = cause as { readonly code?: unknown; readonly error?: unknown }
  const reason = [code, error].filter((part) => typeof part === "string" && /^[\w.-]{1,60}$/.test(part)).join(" ")
  const isAbsent = code === undefined || code === "OAUTH_TIMEOUT"
  const isDeclined = code === "OAUTH_AUTHORIZATION_RESPONSE_ERROR"
  return new NotSignedIn({ why: isDeclined ? "declined" : isAbsent ? "unreachable" : "invalid", reason })
}

type Claims = Readonly<Record<string, unknown>>

const nameOf = ({ email, name, preferred_username: username, sub }: Claims): string =>
  [name, email, username, sub].map((text) => untrustedText(typeof text === "string" ? text : "")).find(Boolean) ?? ""

/** The first of owner, finance, support and reader that one of the groups has. A text is one group. */
const roleOf = ({ claim, roles }: ProviderSettings, { [claim]: groups }: Claims) => {
  const held = new Set<unknown>(Array.isArray(groups) ? groups : [groups])
  return Role.literals.find((role) => roles[role]?.some((group) => held.has(group)))
}

/** Operators who sign in at an OpenID provider. Each answer leads on: to the provider, or to the console. */
export const make = Effect.fnUntraced(function* (settings: ProviderSettings) {
  const base = yield* Gateway.BaseUrl
  const { nameOf: cookieName, secretIn, setCookie, siteAt } = Gateway.ConsoleEndpoints
  const site = siteAt(base)
  const callback = new URL(base + paths.callback).href
  const cipher = yield* Gateway.Cipher
  const operators = yield* Gateway.Operators
  const sessions = yield* Gateway.ConsoleSessions
  const addresses = new Gateway.AddressLimit({ burst: 30, perMinute: 30 })
  const forgetting = HttpServerResponse.expireCookieUnsafe(cookieName("signIn", site), {
    path: "/",
    secure: site.isSecure
  })

  const leadTo = (location: string, cookie = {}) => {
    const headers = { ...Gateway.nosniff, "cache-control": "no-store", "referrer-policy": "no-referrer", location }
    return HttpServerResponse.empty({ status: 303, headers: { ...headers, ...cookie } })
  }

  /** Its metadata are read at the first sign-in, and again after an hour or a failure. Who comes meanwhile waits for the same answer. */
  let known: { readonly at: number; readonly provider: ReturnType<typeof connect> } | undefined
  const connected = (at: number) => {
    if (known === undefined || at - known.at >= metadataMillis) {
      known = { at, provider: connect(settings) }
      known.provider.catch(() => (known = undefined))
    }
    return known.provider
  }
  const ask = <A>(run: (_: Awaited<ReturnType<typeof connect>>) => Promise<A>) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) =>
      Effect.tryPromise({ try: async () => run(await connected(at)), catch: notSignedIn })
    )

  const begin = Effect.gen(function* () {
    const endsAt = (yield* Clock.currentTimeMillis) + flowMillis
    const { checks, to } = yield* ask(async ({ client, configuration }) => {
      const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()]
      const challenge = await client.calculatePKCECodeChallenge(verifier)
      const pkce = { code_challenge: challenge, code_challenge_method: "S256" }
      const asked = { redirect_uri: callback, scope: settings.scopes.join(" "), state, nonce, ...pkce }
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier }
      return { checks, to: client.buildAuthorizationUrl(configuration, asked).href }
    })
    const sealed = yield* cipher.seal(Redacted.make(JSON.stringify({ ...checks, endsAt })), paths.begin)
    return leadTo(to, setCookie("signIn", site, Buffer.from(sealed).toString("base64url"), flowMillis))
  })

  const complete = Effect.fnUntraced(function* (request: HttpServerRequest, requestId: string) {
    const url = new URL(callback + request.url.slice(paths.callback.length))
    const sealed = Buffer.from(secretIn(request, "signIn", site) ?? "", "base64url")
    const opened = Option.getOrUndefined(yield* cipher.open(sealed, paths.begin))
    const begun = JSON.parse(opened === undefined ? "{}" : Redacted.value(opened)) as Readonly<Record<string, string>>
    const { endsAt = 0, expectedState, ...checks } = begun
    const isThis = expectedState !== undefined && expectedState === url.searchParams.get("state")
    if (!isThis || Number(endsAt) <= (yield* Clock.currentTimeMillis)) return yield* new NotSignedIn({ why: "late" })
    const claims = yield* ask(async ({ client, configuration }) => {
      const tokens = await client.authorizationCodeGrant(configuration, url, { ...checks, expectedState })
      const claims = { iss: "", sub: "", ...tokens.claims() }
      const hasMore = !(settings.claim in claims) && configuration.serverMetadata().userinfo_endpoint !== undefined
      const more = hasMore ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub) : {}
      return { ...more, ...claims }
    })
    const [name, role] = [nameOf(claims), roleOf(settings, claims)]
    const address = Option.getOrNull(request.remoteAddress)
    const cause = { who: `${name}, sign-in at ${claims.iss}`, address, request: requestId }
    const token = yield* operators.signedIn({ issuer: claims.iss, subject: claims.sub, name, role }).pipe(
      Effect.provideService(CurrentCause, cause),
      Effect.catchTag("AccountsError", () => new NotSignedIn({ why: role === undefined ? "no-role" : "ended" }))
    )
    const owner = (yield* operators.find(Redacted.value(token)))?.id ?? "operator"
    const session = yield* sessions.begin("operator", owner, token)
    const millis = session.endsAt - (yield* Clock.currentTimeMillis)
    const cookie = setCookie("operator", site, Redacted.value(session.secret), millis)
    return forgetting(leadTo(`${base}/operator#session=${session.id}`, cookie))
  })

  const execute = Effect.fnUntraced(function* (request: HttpServerRequest, path: string, requestId: string) {
    const wait = addresses.take(Option.getOrUndefined(request.remoteAddress), yield* Clock.currentTimeMillis)
    if (wait > 0) return yield* new NotSignedIn({ why: "busy" })
    return yield* path === paths.begin ? begin : complete(request, requestId)
  })

  const endpoints: Gateway.EndpointGroup.EndpointGroup = {
    paths: Object.values(paths),
    answer: (request, path) => {
      if (request.method !== "GET") return undefined
      const requestId = `req_${randomBytes(12).toString("hex")}`
      const refused = (cause: Cause.Cause<unknown>) => {
        const error = Cause.squash(cause)
        const failed = { why: "failed", reason: error instanceof Error ? error.name : typeof error }
        const { reason = "", why } = error instanceof NotSignedIn ? error : failed
        const log = Effect.logWarning("an operator was not signed in", { requestId, why, reason })
        return Effect.as(log, leadTo(`${base}/operator#refused=${why}`))
      }
      return Effect.catchCause(execute(request, path, requestId), refused).pipe(
        Effect.map(HttpServerResponse.setHeader("x-request-id", requestId))
      )
    }
  }
  return endpoints
})
