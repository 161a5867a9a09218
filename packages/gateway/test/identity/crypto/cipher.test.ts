import { describe, expect, it } from "@effect/vitest"
import * as Aead from "effect/crypto/Aead"
import * as Kdf from "effect/crypto/Kdf"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Cipher } from "../../../src/identity/crypto/Cipher.ts"

const under = (fill: number) =>
  Cipher.layer(Redacted.make(new Uint8Array(32).fill(fill))).pipe(
    Layer.provide(Layer.mergeAll(Aead.layerWebCrypto, Kdf.layerWebCrypto)),
    Layer.provide(SecureRandom.layerWebCrypto)
  )
const cipher = (fill: number) => Effect.provide(Cipher, Layer.fresh(under(fill)))

describe("a sealed secret", () => {
  it.effect("opens only under the same secret and context", () =>
    Effect.gen(function* () {
      const [one, again, other] = yield* Effect.all([cipher(1), cipher(1), cipher(2)])
      const text = "tök\u{1f512}en ".repeat(40)
      const sealed = yield* one.seal(Redacted.make(text), "here")
      expect(Buffer.from(sealed).includes(Buffer.from("en t"))).toBe(false)
      expect(Option.map(yield* again.open(sealed, "here"), Redacted.value)).toEqual(Option.some(text))
      expect(yield* other.open(sealed, "here")).toEqual(Option.none())
      expect(yield* one.open(sealed, "there")).toEqual(Option.none())
    })
  )

  it.effect("has a new nonce each time", () =>
    Effect.gen(function* () {
      const { seal } = yield* cipher(1)
      const sealed = yield* Effect.all(Array.from({ length: 50 }, () => seal(Redacted.make("x"), "here")))
      expect(new Set(sealed.map((bytes) => Buffer.from(bytes.subarray(0, 12)).toString("hex"))).size).toBe(50)
    })
  )

  it.effect("does not open after a bit flip or truncation", () =>
    Effect.gen(function* () {
      const { open, seal } = yield* cipher(1)
      const sealed = yield* seal(Redacted.make("secret"), "here")
      for (let at = 0; at < sealed.length; at++) {
        const changed = sealed.map((byte, i) => (i === at ? byte ^ 1 : byte))
        expect(Option.isNone(yield* open(changed, "here"))).toBe(true)
        expect(Option.isNone(yield* open(sealed.slice(0, at), "here"))).toBe(true)
      }
    })
  )
})
