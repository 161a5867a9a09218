import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import * as Digest from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { SqlClient } from "effect/sql/SqlClient"
import { underLease } from "../../books/fleet/lease.ts"
import { ownerOf } from "../../books/credential/Keys.ts"
import { Cipher } from "../crypto/Cipher.ts"
import { Carrier } from "@tollgate/contract/carrier/Carrier"
import * as Attempts from "./attempts.ts"
import { authUrl } from "./authUrl.ts"
import { type Callback, Links, NotLinked } from "./Links.ts"
import { Platform } from "./Platform.ts"
import { missingScope, storeFailed } from "./refusals.ts"
import * as Renewal from "./renewal.ts"
import { scopesToRequest } from "./scopes.ts"
import * as Sessions from "./sessions.ts"
import * as TokenEndpoint from "./TokenEndpoint.ts"

const secretBytes = 32
const statePattern = /^[\w-]{43}$/
const codePattern = /^[\x20-\x7e]{1,4096}$/

const failed = (why: NotLinked["why"]) => new NotLinked({ why })

/** Longer than the platform may take to answer. */
const renewalMillis = 60_000

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const platform = yield* Platform
  const cipher = yield* Cipher
  const digest = yield* Digest.Digest
  const random = yield* SecureRandom
  const scope = yield* Effect.scope
  const endpoint = TokenEndpoint.make(yield* Carrier, platform)
  const attempts = Attempts.make(sql, cipher, digest)
  const sessions = Sessions.make(sql, cipher)
  const currentSession = Renewal.make(sessions, endpoint, scope, (owner) =>
    underLease(sql, `link ${owner}`, renewalMillis)
  )
  const randomSecret = Effect.map(random.randomBytes(secretBytes), Base64Url.encode)

  const finish = Effect.fnUntraced(function* ({ code, error, state }: Callback) {
    if (state === undefined || !statePattern.test(state)) return yield* failed("unknown")
    const attempt = yield* Effect.mapError(attempts.take(state, yield* Clock.currentTimeMillis), () => failed("store"))
    if (Option.isNone(attempt)) return yield* failed("unknown")
    if (error !== undefined || code === undefined) return yield* failed("declined")
    if (!codePattern.test(code)) return yield* failed("refused")
    const { owner, scopes, verifier } = attempt.value
    const response = yield* Effect.mapError(endpoint.exchange(code, verifier), ({ why }) =>
      failed(why === "refused" ? "refused" : "platform")
    )
    const now = yield* Clock.currentTimeMillis
    const session = {
      owner,
      scopes: response.scopes ?? scopes,
      access: response.access,
      refresh: response.refresh,
      endsAt: response.lifetimeMillis === undefined ? undefined : now + response.lifetimeMillis
    }
    yield* Effect.mapError(sessions.store(session, now), () => failed("store"))
  })

  return Links.of({
    start: Effect.fnUntraced(function* (principal, requested) {
      const scopes = scopesToRequest(platform, requested)
      if (Result.isFailure(scopes)) return yield* scopes.failure
      const state = yield* randomSecret
      const verifier = yield* randomSecret
      const challenge = Base64Url.encode(yield* digest.digest(Digest.sha256, Utf8.encode(verifier)))
      const now = yield* Clock.currentTimeMillis
      const attempt = { state, scopes: scopes.success, verifier: Redacted.make(verifier) }
      yield* Effect.mapError(attempts.create({ ...attempt, owner: ownerOf(principal) }, now), storeFailed)
      return {
        auth_url: authUrl(platform, { state, challenge, scopes: scopes.success }),
        state,
        expires_at: new Date(now + Attempts.lifetimeMillis).toISOString()
      }
    }),
    // Runs to the end even if the browser disconnects: the code is valid only once.
    finish: (callback) => Effect.flatMap(Effect.forkIn(finish(callback), scope), Fiber.join),
    token: Effect.fnUntraced(function* (principal, scope) {
      const { access, scopes } = yield* currentSession(ownerOf(principal))
      return scopes.includes(scope) ? access : yield* missingScope(scope)
    }),
    linked: Effect.fnUntraced(function* (principal) {
      const session = yield* Effect.mapError(sessions.find(ownerOf(principal)), storeFailed)
      const now = yield* Clock.currentTimeMillis
      return Option.filter(session, Renewal.isUsable(now))
    }),
    unlink: (principal) => sessions.remove(ownerOf(principal)).pipe(Effect.mapError(storeFailed), Effect.asVoid),
    turnedAway: (principal) => sessions.expire(ownerOf(principal)).pipe(Effect.mapError(storeFailed), Effect.asVoid)
  })
})

export const layer: Layer.Layer<Links, never, SqlClient | Carrier | Cipher | Platform | Digest.Digest | SecureRandom> =
  Layer.effect(Links, make)
