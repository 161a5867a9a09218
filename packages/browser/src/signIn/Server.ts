import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isSafe, resourceMetadata, serverMetadata } from "./addresses.ts"
import { get } from "./ask.ts"
import { ServerUnusable } from "./errors.ts"
import type { Options } from "./Options.ts"
import type { Page } from "./Page.ts"

/** The server that is asked, and what its tokens are for. */
export const Server = Schema.Struct({
  issuer: Schema.String,
  authorizationEndpoint: Schema.String,
  tokenEndpoint: Schema.String,
  revocationEndpoint: Schema.optionalKey(Schema.String),
  /** Whether it says in each answer who it is (RFC 9207). */
  namesItself: Schema.Boolean,
  resource: Schema.optionalKey(Schema.String)
})
export type Server = typeof Server.Type

const unusable = (why: ServerUnusable["why"], message: string) => Effect.fail(new ServerUnusable({ why, message }))

const safe = (address: string, what: string): Effect.Effect<string, ServerUnusable> =>
  isSafe(address)
    ? Effect.succeed(address)
    : unusable("metadata", `${what} is no address to rely upon: it must be HTTPS, or on this machine.`)

/** A page that answers every path with its HTML has no metadata, nor has one that says 404. */
const read = Effect.fnUntraced(function* <A>(page: Page, url: string, schema: Schema.ConstraintDecoder<A>) {
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

const ofIssuer = Effect.fnUntraced(function* (page: Page, issuer: string) {
  yield* safe(issuer, "The issuer")
  for (const url of serverMetadata(issuer)) {
    const found = yield* read(page, url, Metadata)
    if (Option.isNone(found)) continue
    const metadata = found.value
    if (metadata.issuer !== issuer) {
      return yield* unusable("metadata", `The server at ${issuer} calls itself by another name: set it as issuer.`)
    }
    if (metadata.code_challenge_methods_supported?.includes("S256") !== true) {
      return yield* unusable("metadata", `The server at ${issuer} does not say that it knows PKCE with S256.`)
    }
    const { authorization_endpoint, revocation_endpoint, token_endpoint } = metadata
    return {
      issuer,
      authorizationEndpoint: authorization_endpoint,
      tokenEndpoint: token_endpoint,
      ...(revocation_endpoint === undefined ? {} : { revocationEndpoint: revocation_endpoint }),
      namesItself: metadata.authorization_response_iss_parameter_supported === true
    }
  }
  return yield* unusable("unannounced", `No metadata of an authorization server is found at ${issuer}.`)
})

const Resource = Schema.Struct({
  resource: Schema.String,
  authorization_servers: Schema.optionalKey(Schema.Array(Schema.String))
})

const none: Partial<typeof Resource.Type> = {}

const isSame = (one: string, other: string): boolean =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href

const ofResource = Effect.fnUntraced(function* (page: Page, address: string) {
  yield* safe(address, "The resource")
  const found = yield* read(page, resourceMetadata(address), Resource)
  const { authorization_servers: [issuer] = [], resource = address } = Option.getOrElse(found, () => none)
  if (!isSame(resource, address)) {
    return yield* unusable("metadata", `What is found at ${address} describes another resource.`)
  }
  if (issuer === undefined) {
    return yield* unusable("unannounced", `${address} does not say where to sign in (RFC 9728): set issuer.`)
  }
  return { ...(yield* ofIssuer(page, issuer)), resource }
})

const found = Effect.fnUntraced(function* (page: Page, options: Options) {
  if (options.authorizationServer !== undefined) return { namesItself: false, ...options.authorizationServer }
  if (options.issuer !== undefined) return yield* ofIssuer(page, options.issuer)
  return yield* ofResource(page, options.resource)
})

export const discover = Effect.fnUntraced(function* (page: Page, options: Options) {
  const { resource = options.resource, ...server }: Server = yield* found(page, options)
  yield* safe(server.authorizationEndpoint, "The authorization endpoint")
  yield* safe(server.tokenEndpoint, "The token endpoint")
  if (server.revocationEndpoint !== undefined) yield* safe(server.revocationEndpoint, "The revocation endpoint")
  return { ...server, ...(resource === undefined ? {} : { resource }) }
})
