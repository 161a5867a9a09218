import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** What a caller sets for all calls within an effect. */
export interface Settings {
  readonly idempotencyKey?: string
  readonly maxPrice?: string
}

export const Settings = Context.Reference<Settings>("@tollgate/client/Settings", { defaultValue: () => ({}) })

export const withSettings =
  (settings: Settings) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.updateService(effect, Settings, (before) => ({ ...before, ...settings }))

/**
 * Sends the call with this idempotency key instead of a generated one. The same key and input, even from another process,
 * get the stored answer and are not charged again. Use a key for one call only.
 */
export const withIdempotencyKey = (key: string) => withSettings({ idempotencyKey: key })

/** Refuses every call that can cost more than this many USD, before anything is spent: `withMaxPrice("0.01")`. */
export const withMaxPrice = (usd: string) => withSettings({ maxPrice: usd })
