import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { type Answer, type Form, post } from "./ask.ts"
import { type ServerUnreachable, ServerUnusable } from "./errors.ts"
import type { Page } from "./Page.ts"
import type { Server } from "./Server.ts"

export interface Granted {
  readonly access: Redacted.Redacted
  readonly refresh: Redacted.Redacted | undefined
  /** By this clock, from when the token was asked for; nothing of the server's clock. */
  readonly endsAt: number | undefined
  readonly renewAt: number | undefined
}

/** What can stand in a header. */
const Token = Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,16384}$/))

const Grant = Schema.Struct({
  access_token: Token,
  token_type: Schema.String.check(Schema.isPattern(/^bearer$/i)),
  refresh_token: Schema.optionalKey(Schema.NullOr(Token)),
  expires_in: Schema.optionalKey(Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e9 }))))
})

const decodeGrant = Schema.decodeUnknownOption(Schema.fromJsonString(Grant))

/** RFC 6749, 5.2: the code and no more of it, for what else is said may repeat what was sent. */
export const errorCode = /^[a-z0-9_.-]{1,64}$/i
const Refusal = Schema.Struct({ error: Schema.String.check(Schema.isPattern(errorCode)) })
const decodeRefusal = Schema.decodeUnknownOption(Schema.fromJsonString(Refusal))

/** A token is renewed this long before its end, so that it does not end on the way. */
const marginMillis = 60_000

const redacted = (token: string) => Redacted.make(token, { label: "token" })

const granted = ({ text }: Answer, askedAt: number): Option.Option<Granted> =>
  Option.map(decodeGrant(text), ({ access_token, expires_in, refresh_token }) => {
    const lifetime = expires_in == null ? undefined : expires_in * 1_000
    return {
      access: redacted(access_token),
      refresh: refresh_token == null ? undefined : redacted(refresh_token),
      endsAt: lifetime === undefined ? undefined : askedAt + lifetime,
      renewAt: lifetime === undefined ? undefined : askedAt + lifetime - Math.min(marginMillis, lifetime / 4)
    }
  })

const unusable = (server: Server, error: string | undefined) =>
  error === undefined
    ? new ServerUnusable({ why: "answer", message: `What ${server.tokenEndpoint} answers is not a bearer token.` })
    : new ServerUnusable({ why: "client", error, message: `${server.tokenEndpoint} refuses this client: ${error}.` })

/** Nothing where what was handed in is not, or no longer, good. */
const tokens = Effect.fnUntraced(function* (
  page: Page,
  server: Server,
  form: Form
): Effect.fn.Return<Option.Option<Granted>, ServerUnusable | ServerUnreachable> {
  const askedAt = yield* Clock.currentTimeMillis
  const answer = yield* post(page, server.tokenEndpoint, { ...form, resource: server.resource })
  if (answer.status === 200) {
    const grant = granted(answer, askedAt)
    return Option.isSome(grant) ? grant : yield* unusable(server, undefined)
  }
  const error = Option.getOrUndefined(decodeRefusal(answer.text))?.error
  return error === "invalid_grant" ? Option.none() : yield* unusable(server, error)
})

export const exchange = (
  page: Page,
  server: Server,
  form: { readonly clientId: string; readonly redirectUri: string; readonly code: string; readonly verifier: string }
) =>
  tokens(page, server, {
    grant_type: "authorization_code",
    client_id: form.clientId,
    redirect_uri: form.redirectUri,
    code: form.code,
    code_verifier: form.verifier
  })

export const refresh = (page: Page, server: Server, clientId: string, token: Redacted.Redacted) =>
  tokens(page, server, {
    grant_type: "refresh_token",
    client_id: clientId,
    refresh_token: Redacted.value(token)
  })

/** RFC 7009. Whether the server says that it has forgotten both. */
export const revoke = Effect.fnUntraced(function* (
  page: Page,
  { revocationEndpoint }: Server,
  clientId: string,
  { access, refresh }: Pick<Granted, "access" | "refresh">
) {
  if (revocationEndpoint === undefined) return false
  const one = (token: Redacted.Redacted, hint: string) =>
    post(page, revocationEndpoint, { token: Redacted.value(token), token_type_hint: hint, client_id: clientId }).pipe(
      Effect.map(({ status }) => status === 200),
      Effect.orElseSucceed(() => false)
    )
  const first = refresh === undefined || (yield* one(refresh, "refresh_token"))
  return (yield* one(access, "access_token")) && first
})
