import { encode } from "@tollgate/contract/errors/encode"
import * as Headers from "@tollgate/contract/Headers"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Cause from "effect/Cause"
import { Digest, sha256 } from "effect/crypto/Digest"
import { timingSafeEqual } from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Redacted from "effect/Redacted"
import { Accounts, AccountsError } from "../../account/Accounts.ts"
import { refuse, Refused } from "../../Refused.ts"
import * as RequestIds from "../../RequestIds.ts"
import { accountRoutes } from "./accounts.ts"
import { keyRoutes } from "./keys.ts"
import { match, type Reply } from "./Route.ts"

const prefix = "/admin/v1"

/** What an operator asks over HTTP, behind a token of its own. No part of the catalogue, and no page may call it. */
export interface Admin {
  readonly answer: (path: string, request: HttpServerRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse>
}

const challenge = { headers: { "WWW-Authenticate": "Bearer" } }
const missing = refuse("missing_credential", "Send the admin token: Authorization: Bearer <token>.", challenge)
const invalid = refuse("invalid_credential", "The admin token is not valid.", challenge)
const nothingHere = refuse("route_not_found", "There is nothing at this address.")
const notReady = refuse("billing_unavailable", "The store is not available; nothing was changed.", {
  retryAfter: 1_000
})
const failed = refuse("internal_error", "The gateway failed to handle the request.")

const reply = (status: number, body: unknown, requestId: string, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.jsonUnsafe(body, {
    status,
    headers: { ...headers, "cache-control": "no-store", [Headers.requestId]: requestId }
  })

const refusal = ({ headers, refusal }: Refused, requestId: string) => {
  const wire = encode("data", { ...refusal, requestId })
  return reply(wire.status, wire.body, requestId, { ...wire.headers, ...headers })
}

const statuses = { missing: ["not_found", 404], conflict: ["conflict", 409] } as const

const mismatch = ({ message, reason }: AccountsError, requestId: string) => {
  const [code, status] = statuses[reason]
  return reply(status, { error: { code, message, type: `${code}_error`, request_id: requestId } }, requestId)
}

const tokenOf = (request: HttpServerRequest): string | undefined => {
  const { authorization } = request.headers
  return authorization === undefined ? undefined : (/^Bearer +([^\s]+)$/i.exec(authorization)?.[1] ?? "")
}

export const make = Effect.fnUntraced(function* (token: Redacted.Redacted) {
  const accounts = yield* Accounts
  const digest = yield* Digest
  const nextId = yield* RequestIds.make
  const routes = [...accountRoutes(accounts), ...keyRoutes(accounts)]

  // Digests have one length, so that the comparison tells nothing of the token's.
  const digestOf = (text: string) => digest.digest(sha256, Utf8.encode(text))
  const known = yield* digestOf(Redacted.value(token))

  const carryOut = Effect.fnUntraced(function* (path: string, request: HttpServerRequest) {
    const sent = tokenOf(request)
    if (sent === undefined) return yield* missing
    if (!timingSafeEqual(yield* digestOf(sent), known)) return yield* invalid
    const matched = match(routes, path)
    if (matched === undefined) return yield* nothingHere
    const route = matched.routes.find(({ method }) => method === request.method)
    if (route !== undefined) return yield* route.run(matched.id, request)
    const allow = matched.routes.map(({ method }) => method).join(", ")
    return yield* refuse("method_not_allowed", `This address takes ${allow}.`, { headers: { Allow: allow } })
  })

  const failure = (cause: Cause.Cause<Effect.Error<ReturnType<typeof carryOut>>>, requestId: string) => {
    if (Cause.hasInterrupts(cause)) return Effect.interrupt
    const error = Cause.squash(cause)
    if (error instanceof Refused) return Effect.succeed(refusal(error, requestId))
    if (error instanceof AccountsError) return Effect.succeed(mismatch(error, requestId))
    // The name only: a message may quote what was sent.
    const name = error instanceof Error ? error.name : typeof error
    return Effect.as(
      Effect.logError("admin request failed", { requestId, error: name }),
      refusal(Cause.hasDies(cause) ? failed : notReady, requestId)
    )
  }

  const admin: Admin = {
    answer: (path, request) => {
      const requestId = nextId()
      return Effect.matchCauseEffect(carryOut(path, request), {
        onSuccess: ({ body, status }: Reply) => Effect.succeed(reply(status, body, requestId)),
        onFailure: (cause) => failure(cause, requestId)
      })
    }
  }
  return admin
})

/** Takes what is under the prefix; the app gets the rest as it is. */
export const inFront =
  (admin: Admin) =>
  <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    HttpServerRequest.use((request): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> => {
      const [path = ""] = request.url.split("?", 1)
      return path === prefix || path.startsWith(`${prefix}/`) ? admin.answer(path.slice(prefix.length), request) : app
    })
