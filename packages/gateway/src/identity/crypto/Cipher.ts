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
 * Encrypts secrets at rest: AES-256-GCM under a key derived from the installation's secret. `context` says what a secret is
 * for and is authenticated: a ciphertext that was moved elsewhere does not decrypt.
 */
export class Cipher extends Context.Service<
  Cipher,
  {
    readonly sealBytes: (bytes: Uint8Array, context: string) => Effect.Effect<Uint8Array>
    readonly openBytes: (sealed: Uint8Array, context: string) => Effect.Effect<Option.Option<Uint8Array>>
    readonly seal: (text: Redacted.Redacted, context: string) => Effect.Effect<Uint8Array>
    /** `none`: sealed under another secret or context, or modified. */
    readonly open: (sealed: Uint8Array, context: string) => Effect.Effect<Option.Option<Redacted.Redacted>>
  }
>()("@tollgate/gateway/Cipher") {
  static readonly layer = (
    secret: Redacted.Redacted<Uint8Array>
  ): Layer.Layer<Cipher, never, Aead.Aead | Kdf.Kdf | SecureRandom> =>
    // API keys are hashed under the same secret, so each use derives its own key.
    Layer.effect(Cipher, makeCipher(secret, "tollgate secrets at rest 1"))
}

/** `use` names what the key is for: keys for other uses of the same secret differ. */
export const makeCipher = Effect.fnUntraced(function* (secret: Redacted.Redacted<Uint8Array>, use: string) {
  const aead = yield* Aead.Aead
  const random = yield* SecureRandom
  const bytes = yield* (yield* Kdf.Kdf)
    .derive(Kdf.hkdfSha256, Redacted.value(secret), {
      salt: new Uint8Array(),
      info: Utf8.encode(use),
      length: algorithm.keyLength
    })
    .pipe(Effect.orDie)
  const key = yield* Effect.orDie(Aead.key(algorithm, bytes))

  const sealBytes = Effect.fnUntraced(function* (plain: Uint8Array, context: string) {
    const nonce = yield* random.randomBytes(algorithm.nonceLength)
    const sealed = yield* Effect.orDie(aead.encrypt(key, plain, { nonce, aad: Utf8.encode(context) }))
    return Bytes.concat([nonce, sealed])
  })
  const openBytes = (sealed: Uint8Array, context: string) =>
    Effect.option(
      aead.decrypt(key, sealed.subarray(algorithm.nonceLength), {
        nonce: sealed.subarray(0, algorithm.nonceLength),
        aad: Utf8.encode(context)
      })
    )

  return Cipher.of({
    sealBytes,
    openBytes,
    seal: (text, context) => sealBytes(Utf8.encode(Redacted.value(text)), context),
    open: (sealed, context) =>
      Effect.map(
        openBytes(sealed, context),
        Option.map((bytes) => Redacted.make(Utf8.decode(bytes)))
      )
  })
})
