import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Redacted from "effect/Redacted"
import { singleFlight } from "../../internal/once.ts"
import type { Snapshot } from "./Family.ts"
import { contentType, pieces } from "./render.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import * as RequestIds from "../../exchange/RequestIds.ts"
import type { Face } from "../Face.ts"
import { nosniff } from "../http/respond.ts"
import { failure } from "../jsonAnswers.ts"
import { operatorToken } from "../operatorToken.ts"

export const path = "/metrics"

const notAllowed = refuse("method_not_allowed", "This path allows GET, HEAD.", { headers: { Allow: "GET, HEAD" } })

/** Between pieces others run: a scrape does not hold up calls. */
export const rendered = Effect.fnUntraced(function* (read: Effect.Effect<Snapshot>) {
  let text = ""
  for (const piece of pieces(yield* read)) {
    text += piece
    yield* Effect.yieldNow
  }
  return text
})

/** Answers scrapes at `/metrics`. Scrapes that come at the same time share one reading. With a token, it has to be sent. */
export const make = Effect.fnUntraced(function* (
  text: Effect.Effect<string, Refused>,
  token: Redacted.Redacted | undefined
) {
  const nextId = yield* RequestIds.make
  const shared = singleFlight<Uint8Array, Refused>(yield* Effect.scope)
  const check = token && (yield* operatorToken(token, "metrics")).authenticate
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
