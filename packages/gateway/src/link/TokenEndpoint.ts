import * as Utf8 from "@tollgate/contract/Utf8"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { type Carrier, NotCarried } from "@tollgate/contract/carrier/Carrier"
import { readBounded } from "../internal/readBounded.ts"
import { type Granted, granted, isRefusal } from "./granted.ts"
import type { Platform } from "./Platform.ts"

/**
 * - `refused`: what was handed in is not, or no longer, good.
 * - `misconfigured`: the platform does not take this gateway for its client.
 * - `unavailable`: all else; it may work another time.
 */
export class NoTokens extends Data.TaggedError("NoTokens")<{
  readonly why: "refused" | "misconfigured" | "unavailable"
}> {}

/** For the whole exchange, and a bound on what is read of an answer. */
const deadlineMillis = 10_000
const mostBytes = 65_536

type Form = Readonly<Record<string, string>>

const encoded = (form: Form): string =>
  Object.entries(form)
    .map((pair) => pair.map(encodeURIComponent).join("="))
    .join("&")

const address = /^(https?:\/\/[^/?#]+)([^#]*)$/

const verdict = (status: number, body: Uint8Array): Result.Result<Granted, NoTokens> => {
  if (status >= 200 && status < 300) return Result.mapError(granted(body), () => new NoTokens({ why: "unavailable" }))
  if (status === 400 && isRefusal(body)) return Result.fail(new NoTokens({ why: "refused" }))
  return Result.fail(new NoTokens({ why: status >= 400 && status <= 403 ? "misconfigured" : "unavailable" }))
}

/** Where the platform hands tokens out. What it answers is never repeated to anyone. */
export const make = (carrier: Carrier["Service"], platform: Platform["Service"]) => {
  const { clientId, clientSecret, redirectUri, tokenUrl } = platform
  const [, origin = tokenUrl, path = ""] = address.exec(tokenUrl) ?? []
  const basic = (secret: Redacted.Redacted) =>
    `Basic ${Base64.encode([clientId, Redacted.value(secret)].map(encodeURIComponent).join(":"))}`

  const ask = (form: Form): Effect.Effect<Granted, NoTokens> =>
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
        body: Utf8.encode(encoded({ ...form, client_id: clientId })),
        deadlineMillis,
        idleMillis: deadlineMillis,
        private: platform.private ?? false,
        // Read piece by piece, so that no answer is larger than it may be.
        isStreamed: () => true
      })
      .pipe(
        Effect.flatMap(({ body, status }) =>
          Effect.map(readBounded(body, mostBytes), (bytes) => verdict(status, bytes))
        ),
        Effect.timeoutOrElse({
          duration: deadlineMillis,
          orElse: () => Effect.fail(new NotCarried({ why: "timeout" }))
        }),
        Effect.mapError(() => new NoTokens({ why: "unavailable" })),
        Effect.flatMap(Effect.fromResult)
      )

  return {
    exchange: (code: string, verifier: Redacted.Redacted) =>
      ask({
        grant_type: "authorization_code",
        code,
        code_verifier: Redacted.value(verifier),
        redirect_uri: redirectUri
      }),
    refresh: (token: Redacted.Redacted) => ask({ grant_type: "refresh_token", refresh_token: Redacted.value(token) })
  }
}
