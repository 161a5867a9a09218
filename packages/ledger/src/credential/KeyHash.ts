import * as Utf8 from "@tollgate/contract/Utf8"
import * as Context from "effect/Context"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Data from "effect/Data"
import { SqlClient } from "effect/sql/SqlClient"
import * as Rows from "../store/rows.ts"

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

/** The store was made with another secret: no key would work, and nothing that is encrypted could be read. */
export class SecretDiffers extends Data.TaggedError("SecretDiffers") {}

const name = "secret"
const known = "tollgate fingerprint of the secret 1"

/** Compares the secret with the fingerprint in the store, which the first start leaves there. It does not reveal the secret. */
export const checkSecret = Effect.gen(function* () {
  const hash = yield* KeyHash
  const { fact, query } = Rows.make(yield* SqlClient)
  const fingerprint = yield* hash.of(known)
  const stored = fact(name)
  if ((yield* stored) === undefined) {
    yield* query`INSERT INTO facts (name, value) VALUES (${name}, ${fingerprint}) ON CONFLICT (name) DO NOTHING`
  }
  if ((yield* stored) !== fingerprint) return yield* new SecretDiffers()
})
