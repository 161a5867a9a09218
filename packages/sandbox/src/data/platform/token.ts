import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import { Digest, layerWebCrypto, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import type { Handler, Work } from "../../Work.ts"
import { Memory, remember } from "../Memory.ts"
import * as Query from "../query.ts"
import { Access, Code, Refresh, type Grant } from "./sealed.ts"

const lifetime = { access: 7_200_000, refresh: 180 * 86_400_000 }

const mostSpent = 10_000

const headers = { "cache-control": "no-store" }

const answer = (status: number, body: Readonly<Record<string, unknown>>): Work => ({
  operation: "platform.token",
  status,
  headers,
  body,
  billed: {}
})

const refuse = (error: string, error_description: string) => answer(400, { error, error_description })

const challengeOf = (verifier: string) =>
  Digest.use((digest) => digest.digest(sha256, Utf8.encode(verifier))).pipe(
    Effect.map(Base64Url.encode),
    Effect.provide(layerWebCrypto)
  )

const issue = Effect.fnUntraced(function* (grant: Pick<Grant, "client" | "scope">, now: number) {
  const memory = yield* Memory
  const { client, scope } = grant
  const until = (life: number) => ({ number: ++memory.count, client, scope, until: now + life })
  return answer(200, {
    token_type: "bearer",
    access_token: Access.seal(until(lifetime.access)),
    refresh_token: Refresh.seal(until(lifetime.refresh)),
    expires_in: lifetime.access / 1_000,
    scope
  })
})

const exchange = Effect.fnUntraced(function* (form: Query.Query, now: number) {
  const text = form.get("code") ?? ""
  const code = Code.open(text)
  const { spent } = yield* Memory
  if (code === undefined || code.until <= now) return refuse("invalid_grant", "no such code, or no longer")
  if (spent.has(text)) return refuse("invalid_grant", "this code was used before")
  if (form.get("redirect_uri") !== code.redirect) return refuse("invalid_grant", "redirect_uri is another one")
  if ((form.get("client_id") ?? code.client) !== code.client) return refuse("invalid_grant", "client_id is another one")
  const challenge = yield* challengeOf(form.get("code_verifier") ?? "")
  if (challenge !== code.challenge) return refuse("invalid_grant", "code_verifier does not fit")
  // Looked at again: someone else may have come while the digest was made.
  if (spent.has(text)) return refuse("invalid_grant", "this code was used before")
  remember(spent, text, true, mostSpent)
  return yield* issue(code, now)
})

/** Hands tokens out for a code, once, and for a refresh token, which stays good until it ends. */
export const token: Handler = Effect.fnUntraced(function* (request) {
  const now = yield* Clock.currentTimeMillis
  const form = yield* request.text.pipe(
    Effect.flatMap(Query.parse),
    Effect.orElseSucceed(() => undefined)
  )
  if (form === undefined) return refuse("invalid_request", "the form cannot be read")
  switch (form.get("grant_type")) {
    case "authorization_code":
      return yield* exchange(form, now)
    case "refresh_token": {
      const grant = Refresh.open(form.get("refresh_token") ?? "")
      if (grant === undefined || grant.until <= now)
        return refuse("invalid_grant", "no such refresh_token, or no longer")
      return yield* issue(grant, now)
    }
    case undefined:
      return refuse("invalid_request", "grant_type is needed")
    default:
      return refuse("unsupported_grant_type", "grant_type is authorization_code or refresh_token")
  }
})
