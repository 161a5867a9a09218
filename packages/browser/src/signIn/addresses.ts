const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Users, codes and tokens are sent only to HTTPS addresses or to this machine, never to `javascript:`. */
export const isSafe = (address: string): boolean => {
  if (!URL.canParse(address)) return false
  const { hash, hostname, password, protocol, username } = new URL(address)
  if (hash !== "" || username !== "" || password !== "") return false
  return protocol === "https:" || (protocol === "http:" && loopback.test(hostname))
}

/** RFC 8414, 3.1 (before the path), then OpenID Connect Discovery 1.0, 4 (after the path). */
export const serverMetadata = (issuer: string): ReadonlyArray<string> => {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, "")
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`
  ]
}

/** RFC 9728, 3.1. */
export const resourceMetadata = (resource: string): string => {
  const { origin, pathname, search } = new URL(resource)
  return `${origin}/.well-known/oauth-protected-resource${pathname === "/" ? "" : pathname}${search}`
}
