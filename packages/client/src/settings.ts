import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** What a caller sets for the calls of a program. */
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
 * Makes the call under this key instead of one of the client's own, so that it can be asked for again later, by another
 * process too: the same key and input get the stored answer and are not charged again. For one call, not for several.
 */
export const withIdempotencyKey = (key: string) => withSettings({ idempotencyKey: key })

/** Refuses each call that can cost more than this many USD, before any spend: `withMaxPrice("0.01")`. */
export const withMaxPrice = (usd: string) => withSettings({ maxPrice: usd })
