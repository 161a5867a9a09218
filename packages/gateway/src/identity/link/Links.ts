import type { LinkSession } from "@tollgate/contract/resources/LinkSession"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { ownerOf, type Principal } from "@tollgate/ledger/credential/Keys"
import { invalid, type Refused } from "@tollgate/contract/errors/Refused"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import * as Digest from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { SqlClient } from "effect/sql/SqlClient"
import { underLease } from "@tollgate/ledger/fleet/lease"
import { Cipher } from "../crypto/Cipher.ts"
import { Carrier } from "@tollgate/contract/carrier/Carrier"
import { Platform } from "./TokenEndpoint.ts"
import * as Renewal from "./renewal.ts"
import * as Sessions from "./sessions.ts"
import * as TokenEndpoint from "./TokenEndpoint.ts"
import { defaultScopes } from "@tollgate/contract/operations/linkStart"

/**
 * Why a callback created no session.
 *
 * - `unknown`: the state was never issued, was used before, or has expired.
 * - `declined`: the user or the platform denied access.
 * - `refused`: the platform did not accept the code.
 * - `platform`: the platform was not reachable, or its answer was not valid.
 * - `store`: the session could not be stored.
 */
export class NotLinked extends Data.TaggedError("NotLinked")<{
  readonly why: "unknown" | "declined" | "refused" | "platform" | "store"
}> {}

/** The query parameters that the platform adds to the callback's URL. */
export interface Callback {
  readonly state: string | undefined
  readonly code: string | undefined
  readonly error: string | undefined
}

export interface Linked {
  readonly scopes: ReadonlyArray<string>
  readonly linkedAt: number
}

/** Linked platform accounts. Each belongs to one key, and to the keys rotated from it. */
export class Links extends Context.Service<
  Links,
  {
    /** The scopes that a person can choose. */
    readonly offered: ReadonlyArray<string>
    /** Returns the URL where the user approves. Requests the default scopes if none are given. */
    readonly start: (
      principal: Principal,
      scopes: ReadonlyArray<string> | undefined
    ) => Effect.Effect<LinkSession, Refused>
    /** Stores the session for the owner who started the link. A state can be used once. */
    readonly finish: (callback: Callback) => Effect.Effect<void, NotLinked>
    /** A valid access token with this scope. Refuses with 403 if there is none. */
    readonly token: (principal: Principal, scope: string) => Effect.Effect<Redacted.Redacted, Refused>
    /** The account that is linked. It may have to be renewed before the next call. */
    readonly linked: (principal: Principal) => Effect.Effect<Option.Option<Linked>, Refused>
    /** Forgets the session. A call that has its token already ends as usual. The platform is not told. */
    readonly unlink: (principal: Principal) => Effect.Effect<void, Refused>
    /** Call this when the platform rejected the token: it is renewed before the next call, or the session ends. */
    readonly turnedAway: (principal: Principal) => Effect.Effect<void, Refused>
  }
>()("@tollgate/gateway/Links") {
  static readonly layer: Layer.Layer<
    Links,
    never,
    SqlClient | Carrier | Cipher | Platform | Digest.Digest | SecureRandom
  > = Layer.suspend(() => Layer.effect(Links, make))
}

/** The scopes to request. An unknown scope is refused here, or the user would see the platform's error. */
export const scopesToRequest = (
  { furtherScopes = [], standingScopes = [] }: Platform["Service"],
  scopes: ReadonlyArray<string> = defaultScopes
): Result.Result<ReadonlyArray<string>, Refused> => {
  const known = new Set<string>([...defaultScopes, ...furtherScopes, ...standingScopes])
  const unknownIndex = scopes.findIndex((scope) => !known.has(scope))
  if (unknownIndex !== -1) {
    return Result.fail(invalid(`scopes.${unknownIndex}`, `expected one of ${[...known].join(", ")}`))
  }
  if (scopes.length === 0) {
    return Result.fail(invalid("scopes", "expected at least one"))
  }
  return Result.succeed([...new Set([...scopes, ...standingScopes])])
}

/** RFC 6749, section 4.1.1, and RFC 7636, section 4.3. */
export const authUrl = (
  { authorizeUrl, clientId, redirectUri }: Platform["Service"],
  link: { readonly state: string; readonly challenge: string; readonly scopes: ReadonlyArray<string> }
): string => {
  const query = Object.entries({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: link.scopes.join(" "),
    state: link.state,
    code_challenge: link.challenge,
    code_challenge_method: "S256"
  })
    .map((pair) => pair.map(encodeURIComponent).join("="))
    .join("&")
  return `${authorizeUrl}${authorizeUrl.includes("?") ? "&" : "?"}${query}`
}

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
  const attempts = Sessions.makeAttempts(sql, cipher, digest)
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
    offered: [...new Set<string>([...defaultScopes, ...(platform.furtherScopes ?? [])])],
    start: Effect.fnUntraced(function* (principal, requested) {
      const scopes = scopesToRequest(platform, requested)
      if (Result.isFailure(scopes)) return yield* scopes.failure
      const state = yield* randomSecret
      const verifier = yield* randomSecret
      const challenge = Base64Url.encode(yield* digest.digest(Digest.sha256, Utf8.encode(verifier)))
      const now = yield* Clock.currentTimeMillis
      const attempt = { state, scopes: scopes.success, verifier: Redacted.make(verifier) }
      yield* Effect.mapError(attempts.create({ ...attempt, owner: ownerOf(principal) }, now), Renewal.storeFailed)
      return {
        auth_url: authUrl(platform, { state, challenge, scopes: scopes.success }),
        state,
        expires_at: new Date(now + Sessions.attemptMillis).toISOString()
      }
    }),
    // Runs to the end even if the browser disconnects: the code is valid only once.
    finish: (callback) => Effect.flatMap(Effect.forkIn(finish(callback), scope), Fiber.join),
    token: Effect.fnUntraced(function* (principal, scope) {
      const { access, scopes } = yield* currentSession(ownerOf(principal))
      return scopes.includes(scope) ? access : yield* Renewal.missingScope(scope)
    }),
    linked: Effect.fnUntraced(function* (principal) {
      const session = yield* Effect.mapError(sessions.find(ownerOf(principal)), Renewal.storeFailed)
      const now = yield* Clock.currentTimeMillis
      return Option.filter(session, Renewal.isUsable(now))
    }),
    unlink: (principal) =>
      sessions.remove(ownerOf(principal)).pipe(Effect.mapError(Renewal.storeFailed), Effect.asVoid),
    turnedAway: (principal) =>
      sessions.expire(ownerOf(principal)).pipe(Effect.mapError(Renewal.storeFailed), Effect.asVoid)
  })
})
