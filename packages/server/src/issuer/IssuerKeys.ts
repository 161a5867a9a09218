import { Carrier } from "@tollgate/contract/carrier/Carrier"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { createLocalJWKSet, type JWK } from "jose"
import type { IssuerSettings } from "./IssuerSettings.ts"

/** Why the issuer's keys could not be read, in words for the operator's log. */
export class KeysNotRead extends Data.TaggedError("KeysNotRead")<{ readonly reason: string }> {}

const deadlineMillis = 5_000
const maxBytes = 262_144

type Json = Readonly<Record<string, unknown>>

const parseObject = (bytes: Uint8Array): Json | undefined => {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** Without TLS anyone on the way could replace the keys, so http is for private addresses only. */
const isAllowed = (url: URL | null, isPrivate: boolean): url is URL =>
  url !== null && (url.protocol === "https:" || (isPrivate && url.protocol === "http:")) && url.username === ""

/** Gets a JSON object. `undefined` if the status is not 200; redirects are not followed. */
const fetchJson = Effect.fnUntraced(function* (address: string, isPrivate: boolean) {
  const url = URL.parse(address)
  if (!isAllowed(url, isPrivate)) return yield* new KeysNotRead({ reason: "the address is not https" })
  const { carry } = yield* Carrier
  const { body, status } = yield* carry({
    method: "GET",
    origin: url.origin,
    path: url.pathname + url.search,
    headers: { accept: "application/json", "accept-encoding": "identity" },
    body: undefined,
    deadlineMillis,
    idleMillis: deadlineMillis,
    maxBytes,
    private: isPrivate,
    isStreamed: () => false
  }).pipe(Effect.mapError(({ why }) => new KeysNotRead({ reason: `the answer did not arrive: ${why}` })))
  if (status !== 200) return undefined
  const json = body instanceof Uint8Array ? parseObject(body) : undefined
  return json ?? (yield* new KeysNotRead({ reason: "the answer is not a JSON object" }))
})

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

/** A key that the issuer withdrew is accepted this long at most, if the issuer can be reached. */
const freshMillis = 600_000

/** Tokens with invented key names do not make the gateway ask more often than this. */
export const minIntervalMillis = 10_000

/** The issuer's keys, read when they are needed. Callers that come while they are read wait for them. */
export const keyCache = Effect.fnUntraced(function* (read: Effect.Effect<IssuerKeys, KeysNotRead>) {
  let last: { readonly keys: IssuerKeys; readonly at: number } | undefined
  let isFailing = false
  const recent = yield* read.pipe(
    Effect.tap((keys) =>
      Effect.map(Clock.currentTimeMillis, (at) => {
        last = { keys, at }
        isFailing = false
      })
    ),
    Effect.tapError(({ reason }) => {
      if (isFailing) return Effect.void
      isFailing = true
      return Effect.logWarning("reading the issuer's keys failed", { reason })
    }),
    Effect.cachedWithTTL(minIntervalMillis)
  )
  /** The keys, if they need not be read again. */
  const fresh = (now: number): IssuerKeys | undefined =>
    last !== undefined && now - last.at < freshMillis ? last.keys : undefined
  return {
    fresh,
    current: Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const keys = fresh(now)
      return keys === undefined ? recent : Effect.succeed(keys)
    }),
    /** For a token whose key is not known. They may be the same, if the issuer was asked a moment ago. */
    recent
  }
})
