import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Base64Url from "effect/encoding/Base64Url"
import { fill } from "@tollgate/contract/Names"
import { follow as operation } from "@tollgate/contract/operations/follow"
import { Digest, layerWebCrypto, sha256 } from "effect/crypto/Digest"
import * as Query from "../query.ts"
import { type BilledAnswer, type Handler, InvalidInput, refusedWith } from "../../BilledAnswer.ts"
import { sealed } from "../sealed.ts"
import { Memory, remember } from "../Memory.ts"

/** `until` is in milliseconds. */
export const Code = sealed(
  "code",
  Schema.Struct({
    number: Schema.Int,
    client: Schema.String,
    redirect: Schema.String,
    challenge: Schema.String,
    scope: Schema.String,
    until: Schema.Int
  })
)

const Grant = Schema.Struct({ number: Schema.Int, client: Schema.String, scope: Schema.String, until: Schema.Int })
type Grant = typeof Grant.Type

export const Access = sealed("access", Grant)
const Refresh = sealed("refresh", Grant)

const lifetime = { access: 7_200_000, refresh: 180 * 86_400_000 }

const mostUsedCodes = 10_000

const headers = { "cache-control": "no-store" }

const answer = (status: number, body: Readonly<Record<string, unknown>>): BilledAnswer => ({
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
  const { usedCodes } = yield* Memory
  if (code === undefined || code.until <= now) return refuse("invalid_grant", "code is unknown or expired")
  if (usedCodes.has(text)) return refuse("invalid_grant", "code was already used")
  if (form.get("redirect_uri") !== code.redirect) return refuse("invalid_grant", "redirect_uri does not match")
  if ((form.get("client_id") ?? code.client) !== code.client) return refuse("invalid_grant", "client_id does not match")
  const challenge = yield* challengeOf(form.get("code_verifier") ?? "")
  if (challenge !== code.challenge) return refuse("invalid_grant", "code_verifier does not match")
  // Another request may have used the code while the digest was calculated.
  if (usedCodes.has(text)) return refuse("invalid_grant", "code was already used")
  remember(usedCodes, text, true, mostUsedCodes)
  return yield* issue(code, now)
})

/** Issues tokens for a code, once, and for a refresh token, any number of times until it expires. */
export const token: Handler = Effect.fnUntraced(function* (request) {
  const now = yield* Clock.currentTimeMillis
  const form = yield* request.text.pipe(
    Effect.flatMap(Query.parse),
    Effect.orElseSucceed(() => undefined)
  )
  if (form === undefined) return refuse("invalid_request", "the form is not valid")
  switch (form.get("grant_type")) {
    case "authorization_code":
      return yield* exchange(form, now)
    case "refresh_token": {
      const grant = Refresh.open(form.get("refresh_token") ?? "")
      if (grant === undefined || grant.until <= now)
        return refuse("invalid_grant", "refresh_token is unknown or expired")
      return yield* issue(grant, now)
    }
    case undefined:
      return refuse("invalid_request", "grant_type is required")
    default:
      return refuse("unsupported_grant_type", "grant_type must be authorization_code or refresh_token")
  }
})

const scope = "follows.write"

const object = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** Follows a user. The interface does not define the body, so any JSON object is accepted. */
export const follow: Handler = Effect.fnUntraced(function* (request, { names }) {
  const [, bearer = ""] = /^Bearer +(\S+)$/i.exec(request.headers["authorization"] ?? "") ?? []
  const grant = Access.open(bearer)
  if (grant === undefined || grant.until <= (yield* Clock.currentTimeMillis)) {
    return yield* refusedWith(401, "unauthorized", "the access token is unknown or expired")
  }
  if (!grant.scope.split(" ").includes(scope)) {
    return yield* refusedWith(403, "insufficient_scope", `the access token lacks the scope ${scope}`)
  }
  const text = yield* request.text.pipe(Effect.orElseSucceed(() => ""))
  if (text !== "") {
    yield* object(text).pipe(Effect.mapError(() => new InvalidInput({ message: "the body is not a JSON object" })))
  }
  return {
    operation: fill(operation.id, names),
    body: { data: { following: true, pending_follow: false } },
    billed: { requests: 1 }
  }
})
