import { Face } from "@tollgate/gateway"

/** Where the authorization server is, below the base URL. */
export const paths = {
  authorize: "/oauth/authorize",
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
  introspect: "/oauth/introspect",
  jwks: "/oauth/jwks",
  interaction: "/oauth/interaction/",
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
  ...[paths.authorize, "/oauth/interaction", "/account"].flatMap(Face.withAllBelow)
]
