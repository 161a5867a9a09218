import { expect, it } from "@effect/vitest"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import { NodeDigest } from "../src/index.ts"

const digests = Effect.flatMap(Digest.Digest, ({ digest, digestHex }) =>
  Effect.all(
    [0, 1, 65_536, 65_537, 200_000].flatMap((length) =>
      [Digest.sha1, Digest.sha256, Digest.sha512, Digest.md5].flatMap((algorithm) => {
        const data = new Uint8Array(length).fill(7)
        return [
          Effect.map(digest(algorithm, data), (bytes) => Buffer.from(bytes).toString("hex")),
          digestHex(algorithm, data)
        ]
      })
    )
  )
)

it.effect("digests are those of Web Crypto", () =>
  Effect.gen(function* () {
    const own = yield* Effect.provide(digests, NodeDigest.layer)
    expect(own).toEqual(yield* Effect.provide(digests, Digest.layerWebCrypto))
  })
)
