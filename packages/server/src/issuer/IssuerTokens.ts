import type { Carrier } from "@tollgate/contract/carrier/Carrier"
import { refuse, type Refused } from "@tollgate/gateway/driver"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { IssuerSettings } from "./IssuerSettings.ts"
import { type IssuerKeys, KeyCache, minIntervalMillis, readKeys } from "./IssuerKeys.ts"
import { fromClaims, mayBeOurs, type VerifiedToken, verifyToken } from "./VerifiedToken.ts"

const maxCached = 10_000

interface Cached {
  readonly token: VerifiedToken
  readonly keys: IssuerKeys
}

const none = Effect.succeed(Option.none<VerifiedToken>())

const unavailable = refuse(
  "issuer_unavailable",
  "The authorization server cannot be reached, so this token cannot be checked; nothing was executed. Try again later.",
  { retryAfter: minIntervalMillis }
)

export const make = Effect.fnUntraced(function* (settings: IssuerSettings, audiences: ReadonlyArray<string>) {
  const context = yield* Effect.context<Carrier>()
  const keyCache = new KeyCache(Effect.provideContext(readKeys(settings), context))
  const verified = new Map<string, Cached>()

  const keep = (text: string, token: VerifiedToken, keys: IssuerKeys) => {
    if (verified.size >= maxCached) verified.clear()
    verified.set(text, { token, keys })
    return Option.some(token)
  }

  const verifyWith = (text: string, keys: IssuerKeys, now: number) =>
    Effect.map(verifyToken(text, keys, settings, audiences, now), (result) =>
      typeof result === "string" ? result : fromClaims(result.claims, settings)
    )

  const verifyNow = Effect.fnUntraced(function* (text: string, now: number) {
    let keys = yield* keyCache.current
    let result = yield* verifyWith(text, keys, now)
    if (result === "unknown key") {
      const newer = yield* keyCache.newerThan(keys)
      if (newer !== keys) {
        keys = newer
        result = yield* verifyWith(text, keys, now)
      }
    }
    if (typeof result === "object") return keep(text, result, keys)
    verified.delete(text)
    return Option.none<VerifiedToken>()
  })

  /** `none` if the token is not valid here. Fails if the issuer's keys are needed and cannot be read. */
  const verify = (text: string): Effect.Effect<Option.Option<VerifiedToken>, Refused> =>
    Effect.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      const known = verified.get(text)
      if (known === undefined) {
        return mayBeOurs(text, settings, now) ? Effect.mapError(verifyNow(text, now), () => unavailable) : none
      }
      if (known.token.endsAt <= now) {
        verified.delete(text)
        return none
      }
      if (keyCache.fresh(now) === known.keys) return Effect.succeed(Option.some(known.token))
      // The keys have changed, or may have. While they cannot be read, a token that was good stays good until its end.
      return Effect.catchTag(verifyNow(text, now), "KeysNotRead", () => Effect.succeed(Option.some(known.token)))
    })

  return { verify }
})
