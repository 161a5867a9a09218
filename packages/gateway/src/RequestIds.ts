import * as Hex from "effect/encoding/Hex"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"

/** `req_`, a part that is this process's own, and a number. Unique over restarts and machines, and cheap. */
export const make: Effect.Effect<() => string, never, SecureRandom.SecureRandom> = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const process = Hex.encode(yield* random.randomBytes(8))
  let count = 0
  return () => `req_${process}${(count++).toString(36).padStart(6, "0")}`
})
