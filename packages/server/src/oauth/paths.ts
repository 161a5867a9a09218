/** Where the authorization server is, below the base URL. */
export const paths = {
  authorize: "/oauth/authorize",
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
  introspect: "/oauth/introspect",
  jwks: "/oauth/jwks",
  interaction: "/oauth/interaction/",
  oauthMetadata: "/.well-known/oauth-authorization-server",
  openidMetadata: "/.well-known/openid-configuration"
} as const
