import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"

/** 32 random bytes as 43 URL-safe characters. */
export const randomSecret: Effect.Effect<string> = SecureRandom.SecureRandom.use(({ randomBytes }) =>
  Effect.map(randomBytes(32), Base64Url.encode)
).pipe(Effect.provide(SecureRandom.layerWebCrypto))

/** RFC 7636, 4.2: S256. */
export const challengeOf = (verifier: string): Effect.Effect<string> =>
  Digest.Digest.use(({ digest }) =>
    Effect.map(digest(Digest.sha256, new TextEncoder().encode(verifier)), Base64Url.encode)
  ).pipe(Effect.provide(Digest.layerWebCrypto))
