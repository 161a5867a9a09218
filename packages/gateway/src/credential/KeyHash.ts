import * as Utf8 from "@tollgate/contract/Utf8"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Redacted from "effect/Redacted"

/** HMAC-SHA-256 under this installation's secret: a stolen database cannot be searched for a guessed key. */
export const make = Effect.fnUntraced(function* (secret: Redacted.Redacted<Uint8Array>) {
  const mac = yield* Mac.Mac
  const key = yield* Effect.orDie(Mac.key(Mac.hmacSha256, Redacted.value(secret)))
  return (credential: string): Effect.Effect<string> =>
    mac.sign(key, Utf8.encode(credential)).pipe(Effect.map(Hex.encode), Effect.orDie)
})
