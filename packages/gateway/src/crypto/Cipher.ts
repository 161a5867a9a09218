import * as Utf8 from "@tollgate/contract/Utf8"
import * as Bytes from "effect/Bytes"
import * as Context from "effect/Context"
import * as Aead from "effect/crypto/Aead"
import * as Kdf from "effect/crypto/Kdf"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

const algorithm = Aead.aes256Gcm

/**
 * Keeps secrets at rest: AES-256-GCM under a key derived from this installation's secret, so that the store alone gives
 * none away. `place` says where a secret belongs, and one that was moved elsewhere does not open.
 */
export class Cipher extends Context.Service<
  Cipher,
  {
    readonly seal: (text: Redacted.Redacted, place: string) => Effect.Effect<Uint8Array>
    /** `none`: sealed under another secret or for another place, or changed since. */
    readonly open: (sealed: Uint8Array, place: string) => Effect.Effect<Option.Option<Redacted.Redacted>>
  }
>()("@tollgate/gateway/Cipher") {
  static readonly layer = (
    secret: Redacted.Redacted<Uint8Array>
  ): Layer.Layer<Cipher, never, Aead.Aead | Kdf.Kdf | SecureRandom> => Layer.effect(Cipher, make(secret))
}

const make = Effect.fnUntraced(function* (secret: Redacted.Redacted<Uint8Array>) {
  const aead = yield* Aead.Aead
  const random = yield* SecureRandom
  // The secret is also what API keys are hashed under: each use has a key of its own.
  const bytes = yield* (yield* Kdf.Kdf)
    .derive(Kdf.hkdfSha256, Redacted.value(secret), {
      salt: new Uint8Array(),
      info: Utf8.encode("tollgate secrets at rest 1"),
      length: algorithm.keyLength
    })
    .pipe(Effect.orDie)
  const key = yield* Effect.orDie(Aead.key(algorithm, bytes))

  return Cipher.of({
    seal: Effect.fnUntraced(function* (text, place) {
      const nonce = yield* random.randomBytes(algorithm.nonceLength)
      const sealed = yield* aead
        .encrypt(key, Utf8.encode(Redacted.value(text)), { nonce, aad: Utf8.encode(place) })
        .pipe(Effect.orDie)
      return Bytes.concat([nonce, sealed])
    }),
    open: (sealed, place) =>
      aead
        .decrypt(key, sealed.slice(algorithm.nonceLength), {
          nonce: sealed.slice(0, algorithm.nonceLength),
          aad: Utf8.encode(place)
        })
        .pipe(
          Effect.map((bytes) => Redacted.make(Utf8.decode(bytes))),
          Effect.option
        )
  })
})
