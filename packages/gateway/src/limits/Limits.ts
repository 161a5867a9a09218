import type { RateLimits } from "@tollgate/contract/RateLimits"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Principal } from "@tollgate/ledger/credential/Keys"
import type { Authenticated, Routed } from "../exchange/Exchange.ts"
import { type Admission, unlimited } from "./Admission.ts"
import { type Demand, demandOf, type RateLimitState, requestOnly, UpstreamRpm } from "./KeyLimits.ts"
import { makeCounts } from "./memory.ts"
import type { LimitStore } from "./shared/Command.ts"
import * as SharedLimits from "./shared/SharedLimits.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"

interface Counts {
  /** `id`: of the request, for its lease. */
  readonly admit: (principal: Principal, demand: Demand, id: string) => Effect.Effect<Admission, Refused>
  readonly state: (principal: Principal) => Effect.Effect<RateLimitState, Refused>
}

const limitsOf = Effect.fnUntraced(function* ({ admit, state }: Counts) {
  const upstreamRpm = yield* UpstreamRpm
  return {
    admit: (exchange: Routed) =>
      exchange.principal === undefined
        ? Effect.succeed(unlimited)
        : admit(exchange.principal, demandOf(exchange, upstreamRpm), exchange.requestId),
    count: ({ principal, requestId }: Authenticated) =>
      principal === undefined
        ? Effect.succeed({})
        : Effect.map(admit(principal, requestOnly, requestId), ({ limits }) => limits),
    state
  }
})

/** Admits a request or refuses it with 429. */
export class Limits extends Context.Service<
  Limits,
  {
    /** Needs no body. The tokens are taken later, from the admission. */
    readonly admit: (exchange: Routed) => Effect.Effect<Admission, Refused>
    readonly count: (exchange: Authenticated) => Effect.Effect<RateLimits, Refused>
    /** The limits as they stand. Counts nothing. `undefined`: everything is admitted. */
    readonly state: (principal: Principal) => Effect.Effect<RateLimitState | undefined, Refused>
  }
>()("@tollgate/gateway/Limits") {
  /** Admits everything and sends no headers. */
  static readonly layerOff = Layer.succeed(Limits, {
    admit: () => Effect.succeed(unlimited),
    count: () => Effect.succeed({}),
    state: () => Effect.undefined
  })

  /** In the memory of this process: not shared, and lost when it ends. */
  static readonly layerMemory: Layer.Layer<Limits> = Layer.effect(Limits, Effect.flatMap(makeCounts, limitsOf))

  /** In a store that several gateways share. */
  static readonly layerShared: Layer.Layer<Limits, never, LimitStore> = Layer.effect(
    Limits,
    Effect.flatMap(SharedLimits.make, limitsOf)
  )
}
