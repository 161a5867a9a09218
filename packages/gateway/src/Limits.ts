import type { RateLimits } from "@tollgate/contract/RateLimits"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Routed } from "./Exchange.ts"
import type { Refused } from "./Refused.ts"

/** Admits a request or refuses it with 429. */
export class Limits extends Context.Service<
  Limits,
  { readonly admit: (exchange: Routed) => Effect.Effect<RateLimits, Refused> }
>()("@tollgate/gateway/Limits") {
  /** Everything is admitted and no header is sent. */
  static readonly layerOff = Layer.succeed(Limits, { admit: () => Effect.succeed({}) })
}
