import * as Utf8 from "@tollgate/contract/Utf8"
import { refuse } from "@tollgate/contract/errors/Refused"
import * as Clock from "effect/Clock"
import { Digest, sha256 } from "effect/crypto/Digest"
import { timingSafeEqual } from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { AddressLimit } from "../limits/NameLimit.ts"

export const bearerOf = ({ authorization = "" }: HttpServerRequest["headers"]): string | undefined =>
  /^Bearer +([^\s]+)$/i.exec(authorization)?.[1]

const challenge = { headers: { "WWW-Authenticate": "Bearer" } }

/** Checks a token from the settings. Wrong ones are slowed down by address; the right one always passes. */
export const operatorToken = Effect.fnUntraced(function* (
  token: Redacted.Redacted | undefined,
  name: "admin" | "metrics"
) {
  const digest = yield* Digest
  const wrong = new AddressLimit({ burst: 10, perMinute: 10 })
  const missing = refuse("missing_credential", `Send the ${name} token: Authorization: Bearer <token>.`, challenge)
  const invalid = refuse(
    "invalid_credential",
    `The ${name} token is not valid: it is ${name === "admin" ? "that of an operator, or " : ""}the value of TOLLGATE_${name.toUpperCase()}_TOKEN.`,
    challenge
  )
  const tooMany = `Too many wrong ${name} tokens came from this address; wait, or send the right one.`

  // Digests have one length, so the comparison does not reveal the token's.
  const digestOf = (text: string) => digest.digest(sha256, Utf8.encode(text))
  const expected = token && (yield* digestOf(Redacted.value(token)))
  const isToken = (text: string) =>
    Effect.map(digestOf(text), (sent) => expected !== undefined && timingSafeEqual(sent, expected))

  const authenticate = Effect.fnUntraced(function* ({ headers, remoteAddress }: HttpServerRequest) {
    if (headers.authorization === undefined) return yield* missing
    if (yield* isToken(bearerOf(headers) ?? "")) return
    const retryAfter = wrong.take(Option.getOrUndefined(remoteAddress), yield* Clock.currentTimeMillis)
    return yield* retryAfter > 0 ? refuse("rate_limit_exceeded", tooMany, { retryAfter }) : invalid
  })

  return { authenticate, isToken }
})
