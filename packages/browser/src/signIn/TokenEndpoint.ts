import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { type Answer, type Form, post } from "./http.ts"
import { type ServerUnreachable, ServerUnusable } from "./errors.ts"
import type { Page } from "./Page.ts"
import type { Server } from "./Server.ts"

export interface Tokens {
  readonly access: Redacted.Redacted
  readonly refresh: Redacted.Redacted | undefined
  /** On this machine's clock, counted from when the request was sent. */
  readonly endsAt: number | undefined
  readonly renewAt: number | undefined
}

/** Characters that a header allows. */
const Token = Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,16384}$/))

const TokenResponse = Schema.Struct({
  access_token: Token,
  token_type: Schema.String.check(Schema.isPattern(/^bearer$/i)),
  refresh_token: Schema.optionalKey(Schema.NullOr(Token)),
  expires_in: Schema.optionalKey(Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e9 }))))
})

const decodeTokenResponse = Schema.decodeUnknownOption(Schema.fromJsonString(TokenResponse))

/** RFC 6749, 5.2. Only the code is read: the description may repeat what was sent. */
export const errorCode = /^[a-z0-9_.-]{1,64}$/i
const ErrorResponse = Schema.Struct({ error: Schema.String.check(Schema.isPattern(errorCode)) })
const decodeErrorResponse = Schema.decodeUnknownOption(Schema.fromJsonString(ErrorResponse))

/** A token is renewed this long before it expires, so that it does not expire in transit. */
const marginMillis = 60_000

const redacted = (token: string) => Redacted.make(token, { label: "token" })

const parseTokenResponse = ({ text }: Answer, requestedAt: number): Option.Option<Tokens> =>
  Option.map(decodeTokenResponse(text), ({ access_token, expires_in, refresh_token }) => {
    const lifetime = expires_in == null ? undefined : expires_in * 1_000
    return {
      access: redacted(access_token),
      refresh: refresh_token == null ? undefined : redacted(refresh_token),
      endsAt: lifetime === undefined ? undefined : requestedAt + lifetime,
      renewAt: lifetime === undefined ? undefined : requestedAt + lifetime - Math.min(marginMillis, lifetime / 4)
    }
  })

const unusable = (server: Server, error: string | undefined) =>
  error === undefined
    ? new ServerUnusable({ why: "answer", message: `${server.tokenEndpoint} did not answer with a bearer token.` })
    : new ServerUnusable({ why: "client", error, message: `${server.tokenEndpoint} refused this client: ${error}.` })

/** None if the server no longer accepts the code or refresh token (`invalid_grant`). */
const requestTokens = Effect.fnUntraced(function* (
  page: Page,
  server: Server,
  form: Form
): Effect.fn.Return<Option.Option<Tokens>, ServerUnusable | ServerUnreachable> {
  const requestedAt = yield* Clock.currentTimeMillis
  const answer = yield* post(page, server.tokenEndpoint, { ...form, resource: server.resource })
  if (answer.status === 200) {
    const tokens = parseTokenResponse(answer, requestedAt)
    return Option.isSome(tokens) ? tokens : yield* unusable(server, undefined)
  }
  const error = Option.getOrUndefined(decodeErrorResponse(answer.text))?.error
  return error === "invalid_grant" ? Option.none() : yield* unusable(server, error)
})

export const exchangeCode = (
  page: Page,
  server: Server,
  form: { readonly clientId: string; readonly redirectUri: string; readonly code: string; readonly verifier: string }
) =>
  requestTokens(page, server, {
    grant_type: "authorization_code",
    client_id: form.clientId,
    redirect_uri: form.redirectUri,
    code: form.code,
    code_verifier: form.verifier
  })

export const refresh = (page: Page, server: Server, clientId: string, token: Redacted.Redacted) =>
  requestTokens(page, server, {
    grant_type: "refresh_token",
    client_id: clientId,
    refresh_token: Redacted.value(token)
  })

/** RFC 7009. Returns whether the server confirmed both revocations. */
export const revoke = Effect.fnUntraced(function* (
  page: Page,
  { revocationEndpoint }: Server,
  clientId: string,
  { access, refresh }: Pick<Tokens, "access" | "refresh">
) {
  if (revocationEndpoint === undefined) return false
  const revokeToken = (token: Redacted.Redacted, hint: string) =>
    post(page, revocationEndpoint, { token: Redacted.value(token), token_type_hint: hint, client_id: clientId }).pipe(
      Effect.map(({ status }) => status === 200),
      Effect.orElseSucceed(() => false)
    )
  const first = refresh === undefined || (yield* revokeToken(refresh, "refresh_token"))
  return (yield* revokeToken(access, "access_token")) && first
})
