import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import { Digest, sha256 } from "effect/crypto/Digest"
import { timingSafeEqual } from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { singleFlight } from "../../internal/singleFlight.ts"
import { AddressLimit } from "../../limits/NameLimit.ts"
import type { Snapshot } from "./Family.ts"
import { contentType, pieces } from "./render.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import * as RequestIds from "../../exchange/RequestIds.ts"
import type { Face } from "../Face.ts"
import { nosniff } from "../http/respond.ts"
import { failure } from "../jsonAnswers.ts"

export const path = "/metrics"

const challenge = { headers: { "WWW-Authenticate": "Bearer" } }
const missing = refuse("missing_credential", "Send the metrics token: Authorization: Bearer <token>.", challenge)
const invalid = refuse(
  "invalid_credential",
  "The metrics token is not valid: it is the value of TOLLGATE_METRICS_TOKEN.",
  challenge
)
const notAllowed = refuse("method_not_allowed", "This path allows GET, HEAD.", { headers: { Allow: "GET, HEAD" } })

/** Wrong tokens from one address. */
const wrongLimit = { burst: 10, perMinute: 10 }
const tooManyWrong = (retryAfter: number): Refused =>
  refuse(
    "rate_limit_exceeded",
    "Too many wrong metrics tokens came from this address; wait, then send the right one.",
    {
      retryAfter
    }
  )

/** Between pieces others run: a scrape does not hold up calls. */
export const rendered = Effect.fnUntraced(function* (read: Effect.Effect<Snapshot>) {
  let text = ""
  for (const piece of pieces(yield* read)) {
    text += piece
    yield* Effect.yieldNow
  }
  return text
})

const checkOf = Effect.fnUntraced(function* (token: Redacted.Redacted) {
  const digest = yield* Digest
  const wrong = new AddressLimit(wrongLimit)
  // Digests have one length, so the comparison does not reveal the token's.
  const digestOf = (text: string) => digest.digest(sha256, Utf8.encode(text))
  const expected = yield* digestOf(Redacted.value(token))
  return Effect.fnUntraced(function* ({ headers, remoteAddress }: HttpServerRequest) {
    if (headers.authorization === undefined) return yield* missing
    const sent = yield* digestOf(/^Bearer +([^\s]+)$/i.exec(headers.authorization)?.[1] ?? "")
    const now = yield* Clock.currentTimeMillis
    const address = Option.getOrUndefined(remoteAddress)
    const wait = wrong.wait(address, now)
    if (wait > 0) return yield* tooManyWrong(wait)
    if (timingSafeEqual(sent, expected)) return
    wrong.take(address, now)
    return yield* invalid
  })
})

/** Answers scrapes at `/metrics`. Scrapes that come at the same time share one reading. With a token, it has to be sent. */
export const make = Effect.fnUntraced(function* (
  text: Effect.Effect<string, Refused>,
  token: Redacted.Redacted | undefined
) {
  const nextId = yield* RequestIds.make
  const shared = singleFlight<Uint8Array, Refused>(yield* Effect.scope)
  const check = token === undefined ? undefined : yield* checkOf(token)
  const encoded = Effect.map(text, Utf8.encode)

  const answer = Effect.fnUntraced(function* (request: HttpServerRequest) {
    if (check !== undefined) yield* check(request)
    if (request.method !== "GET" && request.method !== "HEAD") return yield* notAllowed
    const bytes = yield* shared("", encoded)
    return HttpServerResponse.uint8Array(bytes, { contentType, headers: { ...nosniff, "cache-control": "no-store" } })
  })

  const face: Face = {
    paths: [path],
    answer: (request) => Effect.catchCause(answer(request), (cause) => failure(cause, nextId(), "metrics request"))
  }
  return face
})
