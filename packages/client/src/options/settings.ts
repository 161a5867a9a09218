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
export const withMaxPrice = (usd: string) => withSettings({ maxPrice: usd })
