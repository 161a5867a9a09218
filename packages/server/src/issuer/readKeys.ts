import * as Effect from "effect/Effect"
import { createLocalJWKSet, type JWK } from "jose"
import { fetchJson, KeysNotRead } from "./fetchJson.ts"
import type { IssuerSettings } from "./IssuerSettings.ts"

/** Finds the key that a token's header names. */
export type IssuerKeys = ReturnType<typeof createLocalJWKSet>

const maxKeys = 100

/** RFC 8414 puts the well-known part before the issuer's path, OpenID Connect after it. */
const metadataAddresses = (issuer: string): ReadonlyArray<string> => {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, "")
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`
  ]
}

const discover = Effect.fnUntraced(function* ({ issuer, private: isPrivate = false }: IssuerSettings) {
  for (const address of metadataAddresses(issuer)) {
    const metadata = yield* fetchJson(address, isPrivate)
    if (metadata === undefined) continue
    if (metadata.issuer !== issuer) return yield* new KeysNotRead({ reason: "its metadata name another issuer" })
    if (typeof metadata.jwks_uri === "string") return metadata.jwks_uri
  }
  return yield* new KeysNotRead({ reason: "it publishes no metadata with jwks_uri" })
})

const isKey = (value: unknown): value is JWK =>
  typeof value === "object" && value !== null && "kty" in value && value.kty !== "oct"

/** Reads the issuer's public keys over the network. */
export const readKeys = Effect.fnUntraced(function* (settings: IssuerSettings) {
  const address = settings.jwksUri ?? (yield* discover(settings))
  const { keys: published } = (yield* fetchJson(address, settings.private ?? false)) ?? {}
  const keys = Array.isArray(published) ? published.filter(isKey) : []
  if (keys.length === 0 || keys.length > maxKeys) {
    return yield* new KeysNotRead({ reason: "its key set has no public keys, or too many" })
  }
  return yield* Effect.try({
    try: (): IssuerKeys => createLocalJWKSet({ keys }),
    catch: () => new KeysNotRead({ reason: "its key set is malformed" })
  })
})
