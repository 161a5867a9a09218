import * as Utf8 from "@tollgate/contract/Utf8"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Redacted from "effect/Redacted"

/** The headers of Standard Webhooks: one signature for each secret. */
export const sign = Effect.fnUntraced(function* (
  secrets: ReadonlyArray<Redacted.Redacted<Uint8Array>>,
  id: string,
  seconds: number,
  body: string
) {
  const mac = yield* Mac.Mac
  const signed = Utf8.encode(`${id}.${seconds}.${body}`)
  const signatures = yield* Effect.forEach(secrets, (secret) =>
    Mac.key(Mac.hmacSha256, Redacted.value(secret)).pipe(
      Effect.flatMap((key) => mac.sign(key, signed)),
      Effect.map((tag) => `v1,${Base64.encode(tag)}`),
      Effect.orDie
    )
  )
  return { "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": signatures.join(" ") }
})
