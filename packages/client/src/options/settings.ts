import type { Usd } from "@tollgate/contract/Money"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { CallOptions, StreamOptions } from "./CallOptions.ts"

/** What a caller sets for all calls within an effect, or for one of them. */
export type Settings = CallOptions & Pick<StreamOptions, "idleTimeout">

export const Settings = Context.Reference<Settings>("@tollgate/client/Settings", { defaultValue: () => ({}) })

/** The inner settings win, unless they are undefined; headers are added up. */
export const merge = (outer: Settings, inner: Settings): Settings => ({
  ...outer,
  ...Object.fromEntries(Object.entries(inner).filter(([, value]) => value !== undefined)),
  ...(inner.headers === undefined ? {} : { headers: { ...outer.headers, ...inner.headers } })
})

export const withSettings =
  (settings: Settings) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.updateService(effect, Settings, (outer) => merge(outer, settings))

/**
 * Sends the call with this idempotency key instead of a generated one. The same key and input, even from another process,
 * get the stored answer and are not charged again. Use a key for one call only.
 */
export const withIdempotencyKey = (key: string) => withSettings({ idempotencyKey: key })

/** Refuses every call that can cost more than this many USD, before anything is spent: `withMaxPrice("0.01")`. */
export const withMaxPrice = (usd: Usd) => withSettings({ maxPrice: usd })

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
