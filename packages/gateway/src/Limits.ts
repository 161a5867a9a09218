import type { RateLimits } from "@tollgate/contract/RateLimits"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Authenticated, Decoded } from "./Exchange.ts"
import { type Admission, unlimited } from "./limits/Admission.ts"
import { make } from "./limits/memory.ts"
import type { Refused } from "./Refused.ts"

/** Lets a request in or refuses it with 429. */
export class Limits extends Context.Service<
  Limits,
  {
    readonly admit: (exchange: Decoded) => Effect.Effect<Admission, Refused>
    /** One that is refused before it can be admitted is a request of its key all the same. */
    readonly count: (exchange: Authenticated) => Effect.Effect<RateLimits, Refused>
  }
>()("@tollgate/gateway/Limits") {
  /** Everything is let in and no header is sent. */
  static readonly layerOff = Layer.succeed(Limits, {
    admit: () => Effect.succeed(unlimited),
    count: () => Effect.succeed({})
  })

  /** Kept by this process alone and forgotten when it ends. */
  static readonly layerMemory: Layer.Layer<Limits> = Layer.effect(Limits, make)
}
