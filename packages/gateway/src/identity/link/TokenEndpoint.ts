import * as Utf8 from "@tollgate/contract/Utf8"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { type Carrier, NotCarried } from "@tollgate/contract/carrier/Carrier"
import { readBounded } from "../../internal/readBounded.ts"
import { isInvalidGrant, parseTokenResponse, type TokenResponse } from "./tokenResponse.ts"
import type { Platform } from "./Platform.ts"

/**
 * - `refused`: the code or refresh token is not valid, or no longer.
 * - `misconfigured`: the platform rejects this gateway's client id or secret.
 * - `unavailable`: anything else. A later request may succeed.
 */
export class TokenRequestFailed extends Data.TaggedError("TokenRequestFailed")<{
  readonly why: "refused" | "misconfigured" | "unavailable"
}> {}

/** For the whole request, including the body. */
const deadlineMillis = 10_000
const maxBytes = 65_536

type Form = Readonly<Record<string, string>>

const formEncode = (form: Form): string =>
  Object.entries(form)
    .map((pair) => pair.map(encodeURIComponent).join("="))
    .join("&")

const urlParts = /^(https?:\/\/[^/?#]+)([^#]*)$/

const readAnswer = (status: number, body: Uint8Array): Result.Result<TokenResponse, TokenRequestFailed> => {
  if (status >= 200 && status < 300)
    return Result.mapError(parseTokenResponse(body), () => new TokenRequestFailed({ why: "unavailable" }))
  if (status === 400 && isInvalidGrant(body)) return Result.fail(new TokenRequestFailed({ why: "refused" }))
  return Result.fail(new TokenRequestFailed({ why: status >= 400 && status <= 403 ? "misconfigured" : "unavailable" }))
}

/** The platform's token endpoint. Its answers are never shown to callers or logged. */
export const make = (carrier: Carrier["Service"], platform: Platform["Service"]) => {
  const { clientId, clientSecret, redirectUri, tokenUrl } = platform
  const [, origin = tokenUrl, path = ""] = urlParts.exec(tokenUrl) ?? []
  const basic = (secret: Redacted.Redacted) =>
    `Basic ${Base64.encode([clientId, Redacted.value(secret)].map(encodeURIComponent).join(":"))}`

  const requestTokens = (form: Form): Effect.Effect<TokenResponse, TokenRequestFailed> =>
    carrier
      .carry({
        method: "POST",
        origin,
        path: path === "" ? "/" : path,
        headers: {
          accept: "application/json",
          "accept-encoding": "identity",
          "content-type": "application/x-www-form-urlencoded",
          ...(clientSecret === undefined ? {} : { authorization: basic(clientSecret) })
        },
        body: Utf8.encode(formEncode({ ...form, client_id: clientId })),
        deadlineMillis,
        idleMillis: deadlineMillis,
        private: platform.private ?? false,
        // Streamed, so that `readBounded` can stop at the limit.
        isStreamed: () => true
      })
      .pipe(
        Effect.flatMap(({ body, status }) =>
          Effect.map(readBounded(body, maxBytes), (bytes) => readAnswer(status, bytes))
        ),
        Effect.timeoutOrElse({
          duration: deadlineMillis,
          orElse: () => Effect.fail(new NotCarried({ why: "timeout" }))
        }),
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
