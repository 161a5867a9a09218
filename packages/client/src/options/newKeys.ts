import * as Effect from "effect/Effect"

// Every runtime has it, but it is not part of ECMAScript, and `types: []` leaves it undeclared.
declare const crypto: { readonly getRandomValues: (bytes: Uint8Array) => Uint8Array }

const keyBytes = 16
const keysAtOnce = 64

const hex = (byte: number): string => byte.toString(16).padStart(2, "0")

/** Makes unused idempotency keys, 64 at a time: one request for random bytes costs as much for one key as for many. */
export const newKeys = (): Effect.Effect<string> => {
  let left = ""
  return Effect.sync(() => {
    // oxlint-disable-next-line tollgate/no-ambient -- keys must not repeat, in tests neither
    if (left === "") left = Array.from(crypto.getRandomValues(new Uint8Array(keyBytes * keysAtOnce)), hex).join("")
    const key = left.slice(0, 2 * keyBytes)
    left = left.slice(2 * keyBytes)
    return key
  })
}
