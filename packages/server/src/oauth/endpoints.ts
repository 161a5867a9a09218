import { EndpointGroup, nosniff } from "@tollgate/gateway"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

/** Where the authorization server is, below the base URL. */
export const paths = {
  authorize: "/oauth/authorize",
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
  introspect: "/oauth/introspect",
  jwks: "/oauth/jwks",
  interaction: "/oauth/interaction/",
  /** Where the console completes a sign-in. */
  consoleSignIn: "/sign-in",
  /** Where the console lists who has access. */
  grants: "/grants",
  oauthMetadata: "/.well-known/oauth-authorization-server",
  openidMetadata: "/.well-known/openid-configuration"
} as const

const scripted: ReadonlySet<string> = new Set([
  paths.token,
  paths.register,
  paths.revoke,
  paths.introspect,
  paths.jwks,
  paths.oauthMetadata,
  paths.openidMetadata
])

/** Whether scripts of any page may call this path. The others are for people. */
export const isForScripts = (path: string): boolean => scripted.has(path)

/** What the authorization server answers, with all pages of `pages/`. */
export const claimed: ReadonlyArray<string> = [
  ...scripted,
  ...[paths.authorize, "/oauth/interaction", "/account"].flatMap(EndpointGroup.withAllBelow)
]

/** Any origin may call what no cookie opens. */
export const anyOrigin = { "access-control-allow-origin": "*" }

export const oauthError = (
  status: number,
  error: string,
  error_description: string,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(
    { error, error_description },
    { status, headers: { ...nosniff, ...anyOrigin, "cache-control": "no-store", ...headers } }
  )

export const retryAfter = (waitMillis: number) => ({ "retry-after": String(Math.ceil(waitMillis / 1_000)) })

export const tooMany = (waitMillis: number): HttpServerResponse.HttpServerResponse =>
  oauthError(
    429,
    "temporarily_unavailable",
    "too many requests came from this address; slow down",
    retryAfter(waitMillis)
  )

export const preflight: HttpServerResponse.HttpServerResponse = HttpServerResponse.empty({
  status: 204,
  headers: {
    ...nosniff,
    ...anyOrigin,
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers": "authorization, content-type, mcp-protocol-version",
    "access-control-max-age": "7200"
  }
})
