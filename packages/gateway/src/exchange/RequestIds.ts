import * as Hex from "effect/encoding/Hex"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"

/** `req_`, random hex digits of this process, and a counter: unique across restarts and machines. */
export const make: Effect.Effect<() => string, never, SecureRandom.SecureRandom> = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const prefix = Hex.encode(yield* random.randomBytes(8))
  let count = 0
  return () => `req_${prefix}${(count++).toString(36).padStart(6, "0")}`
})
