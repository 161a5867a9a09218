import { Limits } from "@tollgate/gateway"
import type { LimitStore } from "@tollgate/gateway/driver"
import { Patience } from "@tollgate/gateway/limits/shared/Reach"
import { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"

/** The store as one gateway sees it. `now` is in place of the store's time. */
export type StoreOf = (now?: () => number) => Layer.Layer<LimitStore, unknown>

export interface Driver {
  /** One more gateway on the same store, until the scope ends. */
  readonly join: Effect.Effect<StoreOf, unknown, Scope>
}

/** The test moves the clock while an end is under way. */
const endless = { waitMillis: 2 ** 30, tryMillis: 2 ** 30 }

/** What a store does by itself, such as forgetting idle keys, would race with a test that moves the clock by minutes. */
const liveClock = Layer.succeed(Clock, Clock.defaultValue())

/** The limits of one gateway, by the clock of the test. */
export const byTestClock = (storeOf: Effect.Effect<StoreOf, unknown>): Layer.Layer<Limits, unknown> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const clock = yield* Clock
      const store = Layer.provide(
        (yield* storeOf)(() => clock.currentTimeMillisUnsafe()),
        liveClock
      )
      return Layer.provide(Limits.layerShared, [store, Layer.succeed(Patience, endless)])
    })
  )
