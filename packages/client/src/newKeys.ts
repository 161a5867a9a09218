import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"

const keyBytes = 16
const keysAtOnce = 64

/** Makes unused idempotency keys, 64 at a time: one request for random bytes costs as much for one key as for many. */
export const newKeys = ({ randomBytes }: SecureRandom["Service"]): Effect.Effect<string> => {
  let left = ""
  const take = (): string => {
    const key = left.slice(0, 2 * keyBytes)
    left = left.slice(2 * keyBytes)
    return key
  }
  const more = Effect.map(randomBytes(keyBytes * keysAtOnce), (bytes) => {
    left = Hex.encode(bytes)
    return take()
  })
  return Effect.suspend(() => (left === "" ? more : Effect.succeed(take())))
}
