import * as Utf8 from "@tollgate/contract/Utf8"
import * as Context from "effect/Context"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** HMAC-SHA-256 with the installation's secret, so that keys cannot be guessed from a stolen database. */
export class KeyHash extends Context.Service<KeyHash, { readonly of: (credential: string) => Effect.Effect<string> }>()(
  "@tollgate/ledger/KeyHash"
) {
  static readonly layer = (secret: Redacted.Redacted<Uint8Array>): Layer.Layer<KeyHash, never, Mac.Mac> =>
    Layer.effect(
      KeyHash,
      Effect.gen(function* () {
        const mac = yield* Mac.Mac
        const key = yield* Effect.orDie(Mac.key(Mac.hmacSha256, Redacted.value(secret)))
        return {
          of: (credential: string) => mac.sign(key, Utf8.encode(credential)).pipe(Effect.map(Hex.encode), Effect.orDie)
        }
      })
    )
}
