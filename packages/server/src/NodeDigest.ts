import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { hash } from "node:crypto"

/** Web Crypto digests in another thread. For less than this, to wake that thread costs more than the digest. */
const mostBytes = 65_536

const nameOf = ({ name }: Digest.Algorithm): string => name.replace("-", "").toLowerCase()

/** Digests small data at once, and large data by Web Crypto. */
export const layer: Layer.Layer<Digest.Digest> = Layer.effect(
  Digest.Digest,
  Digest.Digest.useSync((web) => ({
    digest: (algorithm, data) =>
      data.length > mostBytes
        ? web.digest(algorithm, data)
        : Effect.sync(() => new Uint8Array(hash(nameOf(algorithm), data, "buffer"))),
    digestHex: (algorithm, data) =>
      data.length > mostBytes ? web.digestHex(algorithm, data) : Effect.sync(() => hash(nameOf(algorithm), data, "hex"))
  }))
).pipe(Layer.provide(Digest.layerWebCrypto))
