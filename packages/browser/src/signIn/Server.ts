import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ServerUnusable } from "./errors.ts"
import { get } from "./http.ts"
import type { Options } from "./Options.ts"
import type { Page } from "./Page.ts"

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Users, codes and tokens are sent only to HTTPS addresses or to this machine, never to `javascript:`. */
const isSafe = (address: string): boolean => {
  if (!URL.canParse(address)) return false
  const { hash, hostname, password, protocol, username } = new URL(address)
  if (hash !== "" || username !== "" || password !== "") return false
  return protocol === "https:" || (protocol === "http:" && loopback.test(hostname))
}

/** RFC 8414, 3.1 (before the path), then OpenID Connect Discovery 1.0, 4 (after the path). */
const serverMetadata = (issuer: string): ReadonlyArray<string> => {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, "")
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`
  ]
}

/** RFC 9728, 3.1. */
const resourceMetadata = (resource: string): string => {
  const { origin, pathname, search } = new URL(resource)
  return `${origin}/.well-known/oauth-protected-resource${pathname === "/" ? "" : pathname}${search}`
}

/** The authorization server, and the resource that its tokens are for. */
export const Server = Schema.Struct({
  issuer: Schema.String,
  authorizationEndpoint: Schema.String,
  tokenEndpoint: Schema.String,
  revocationEndpoint: Schema.optionalKey(Schema.String),
  /** Whether it sends `iss` in every answer (RFC 9207). */
  sendsIssuer: Schema.Boolean,
  resource: Schema.optionalKey(Schema.String)
})
export type Server = typeof Server.Type

const unusable = (why: ServerUnusable["why"], message: string) => Effect.fail(new ServerUnusable({ why, message }))

const requireSafe = (address: string, name: string): Effect.Effect<string, ServerUnusable> =>
  isSafe(address)
    ? Effect.succeed(address)
    : unusable("metadata", `${name} must be an HTTPS address, or one on this machine.`)

/** None if the answer is not 200 with valid metadata: some servers answer every path with HTML. */
const fetchMetadata = Effect.fnUntraced(function* <A>(page: Page, url: string, schema: Schema.ConstraintDecoder<A>) {
  const { status, text } = yield* get(page, url)
  if (status !== 200) return Option.none<A>()
  return Schema.decodeUnknownOption(Schema.fromJsonString(schema))(text)
})

const Metadata = Schema.Struct({
  issuer: Schema.String,
  authorization_endpoint: Schema.String,
  token_endpoint: Schema.String,
  revocation_endpoint: Schema.optionalKey(Schema.String),
  code_challenge_methods_supported: Schema.optionalKey(Schema.Array(Schema.String)),
  authorization_response_iss_parameter_supported: Schema.optionalKey(Schema.Boolean)
})

const discoverIssuer = Effect.fnUntraced(function* (page: Page, issuer: string) {
  yield* requireSafe(issuer, "The issuer")
  for (const url of serverMetadata(issuer)) {
    const found = yield* fetchMetadata(page, url, Metadata)
    if (Option.isNone(found)) continue
    const metadata = found.value
    if (metadata.issuer !== issuer) {
      return yield* unusable(
        "metadata",
        `The server at ${issuer} names another issuer in its metadata: set that name as issuer.`
      )
    }
    if (metadata.code_challenge_methods_supported?.includes("S256") !== true) {
      return yield* unusable("metadata", `The metadata of ${issuer} does not list PKCE with S256.`)
    }
    const { authorization_endpoint, revocation_endpoint, token_endpoint } = metadata
    return {
      issuer,
      authorizationEndpoint: authorization_endpoint,
      tokenEndpoint: token_endpoint,
      ...(revocation_endpoint === undefined ? {} : { revocationEndpoint: revocation_endpoint }),
      sendsIssuer: metadata.authorization_response_iss_parameter_supported === true
    }
  }
  return yield* unusable("unannounced", `${issuer} publishes no authorization server metadata.`)
})

const Resource = Schema.Struct({
  resource: Schema.String,
  authorization_servers: Schema.optionalKey(Schema.Array(Schema.String))
})

const noMetadata: Partial<typeof Resource.Type> = {}

const isSameUrl = (one: string, other: string): boolean =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href

const discoverResource = Effect.fnUntraced(function* (page: Page, address: string) {
  yield* requireSafe(address, "The resource")
  const found = yield* fetchMetadata(page, resourceMetadata(address), Resource)
  const { authorization_servers: [issuer] = [], resource = address } = Option.getOrElse(found, () => noMetadata)
  if (!isSameUrl(resource, address)) {
    return yield* unusable("metadata", `The metadata at ${address} describes another resource.`)
  }
  if (issuer === undefined) {
    return yield* unusable("unannounced", `${address} names no authorization server (RFC 9728): set issuer.`)
  }
  return { ...(yield* discoverIssuer(page, issuer)), resource }
})

const locate = Effect.fnUntraced(function* (page: Page, options: Options) {
  if (options.authorizationServer !== undefined) return { sendsIssuer: false, ...options.authorizationServer }
  if (options.issuer !== undefined) return yield* discoverIssuer(page, options.issuer)
  return yield* discoverResource(page, options.resource)
})

export const discover = Effect.fnUntraced(function* (page: Page, options: Options) {
  const { resource = options.resource, ...server }: Server = yield* locate(page, options)
  yield* requireSafe(server.authorizationEndpoint, "The authorization endpoint")
  yield* requireSafe(server.tokenEndpoint, "The token endpoint")
  if (server.revocationEndpoint !== undefined) yield* requireSafe(server.revocationEndpoint, "The revocation endpoint")
  return { ...server, ...(resource === undefined ? {} : { resource }) }
})
