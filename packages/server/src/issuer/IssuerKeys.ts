import { attempt } from "@tollgate/contract/attempt"
import { Carrier } from "@tollgate/contract/carrier/Carrier"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { createLocalJWKSet, type JWK } from "jose"
import type { IssuerSettings } from "./IssuerSettings.ts"
import * as Semaphore from "effect/Semaphore"

/** Why the issuer's keys could not be read, in words for the operator's log. */
export class KeysNotRead extends Data.TaggedError("KeysNotRead")<{ readonly reason: string }> {}

const deadlineMillis = 5_000
const maxBytes = 262_144

type Json = Readonly<Record<string, unknown>>

const parseObject = (bytes: Uint8Array): Json | undefined =>
  attempt(() => {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined
  })

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

/** A clock that went back counts as time that has passed. */
const isWithin = (at: number | undefined, now: number, millis: number): boolean =>
  at !== undefined && now >= at && now - at < millis

/** The issuer's keys, read when they are needed. Callers that come while they are read wait for them. */
export class KeyCache {
  readonly #read: Effect.Effect<IssuerKeys, KeysNotRead>
  readonly #turn = Semaphore.makeUnsafe(1)
  #keys: IssuerKeys | undefined
  #readAt: number | undefined
  #triedAt: number | undefined
  #isFailing = false

  constructor(read: Effect.Effect<IssuerKeys, KeysNotRead>) {
    this.#read = read
  }

  /** The keys, if they need not be read again. */
  readonly fresh = (now: number): IssuerKeys | undefined =>
    isWithin(this.#readAt, now, freshMillis) ? this.#keys : undefined

  readonly current: Effect.Effect<IssuerKeys, KeysNotRead> = this.#unless(this.fresh)

  /** For a token whose key is not among `known`. Returns `known` if the issuer was asked a moment ago. */
  readonly newerThan = (known: IssuerKeys): Effect.Effect<IssuerKeys, KeysNotRead> =>
    this.#unless(() => (this.#keys === known ? undefined : this.#keys))

  #unless(enough: (now: number) => IssuerKeys | undefined): Effect.Effect<IssuerKeys, KeysNotRead> {
    const now = Effect.clockWith((clock) => Effect.succeed(clock.currentTimeMillisUnsafe()))
    return this.#turn.withPermit(
      Effect.flatMap(now, (now) => {
        const keys = enough(now)
        if (keys !== undefined) return Effect.succeed(keys)
        if (!isWithin(this.#triedAt, now, minIntervalMillis)) return this.#renew(now)
        return this.#keys === undefined || this.#isFailing
          ? Effect.fail(new KeysNotRead({ reason: "it failed a moment ago" }))
          : Effect.succeed(this.#keys)
      })
    )
  }

  #renew(now: number): Effect.Effect<IssuerKeys, KeysNotRead> {
    this.#triedAt = now
    return this.#read.pipe(
      Effect.tap((keys) =>
        Effect.sync(() => {
          this.#keys = keys
          this.#readAt = now
          this.#isFailing = false
        })
      ),
      Effect.tapError(({ reason }) => {
        if (this.#isFailing) return Effect.void
        this.#isFailing = true
        return Effect.logWarning("reading the issuer's keys failed", { reason })
      })
    )
  }
}
