import * as Context from "effect/Context"
import * as Redacted from "effect/Redacted"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type { Carrier } from "@tollgate/contract/carrier/Carrier"
import * as Schema from "effect/Schema"
import { type Form, parseTokenResponse, postForm, type TokenResponse } from "../../internal/tokenRequest.ts"

/** The platform whose accounts can be linked, and this gateway's OAuth 2.0 client there (with PKCE). */
export class Platform extends Context.Service<
  Platform,
  {
    /** The authorization endpoint, which the user opens. */
    readonly authorizeUrl: string
    readonly tokenUrl: string
    /** Allows a token endpoint at a private address. */
    readonly private?: boolean
    readonly clientId: string
    readonly clientSecret?: Redacted.Redacted
    /** This gateway's callback URL, as registered at the platform. */
    readonly redirectUri: string
    readonly furtherScopes?: ReadonlyArray<string>
    /** Requested in every link. Some platforms need a scope for refresh tokens. */
    readonly standingScopes?: ReadonlyArray<string>
  }
>()("@tollgate/gateway/Platform") {}

const decodeError = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Struct({ error: Schema.String })))

/** RFC 6749, section 5.2. Some platforms answer `invalid_request` for an expired token. */
export const isInvalidGrant = (body: Uint8Array): boolean => {
  const answer = decodeError(Utf8.decode(body))
  return Result.isSuccess(answer) && /^invalid_(?:grant|request)$/.test(answer.success.error)
}

/**
 * - `refused`: the code or refresh token is not valid, or no longer.
 * - `misconfigured`: the platform rejects this gateway's client id or secret.
 * - `unavailable`: anything else. A later request may succeed.
 */
export class TokenRequestFailed extends Data.TaggedError("TokenRequestFailed")<{
  readonly why: "refused" | "misconfigured" | "unavailable"
}> {}

const readAnswer = (status: number, body: Uint8Array): Result.Result<TokenResponse, TokenRequestFailed> => {
  if (status >= 200 && status < 300)
    return Result.mapError(parseTokenResponse(body), () => new TokenRequestFailed({ why: "unavailable" }))
  if (status === 400 && isInvalidGrant(body)) return Result.fail(new TokenRequestFailed({ why: "refused" }))
  return Result.fail(new TokenRequestFailed({ why: status >= 400 && status <= 403 ? "misconfigured" : "unavailable" }))
}

/** The platform's token endpoint. Its answers are never shown to callers or logged. */
export const make = (carrier: Carrier["Service"], platform: Platform["Service"]) => {
  const { clientId, clientSecret, redirectUri, tokenUrl } = platform
  const basic = (secret: Redacted.Redacted) =>
    `Basic ${Base64.encode([clientId, Redacted.value(secret)].map(encodeURIComponent).join(":"))}`
  const headers = clientSecret === undefined ? {} : { authorization: basic(clientSecret) }

  const requestTokens = (form: Form): Effect.Effect<TokenResponse, TokenRequestFailed> =>
    postForm(
      carrier,
      { url: tokenUrl, private: platform.private ?? false, headers },
      { ...form, client_id: clientId }
    ).pipe(
      Effect.map(({ body, status }) => readAnswer(status, body)),
      Effect.mapError(() => new TokenRequestFailed({ why: "unavailable" })),
      Effect.flatMap(Effect.fromResult)
    )

  return {
    exchange: (code: string, verifier: Redacted.Redacted) =>
      requestTokens({
        grant_type: "authorization_code",
        code,
        code_verifier: Redacted.value(verifier),
        redirect_uri: redirectUri
      }),
    refresh: (token: Redacted.Redacted) =>
      requestTokens({ grant_type: "refresh_token", refresh_token: Redacted.value(token) })
  }
}
