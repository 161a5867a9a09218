import type { RateLimits } from "@tollgate/contract/RateLimits"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Decoded } from "./Exchange.ts"
import type { Refused } from "./Refused.ts"

/** A request that was let in. */
export interface Admission {
  readonly headers: RateLimits
  /** Gives the place back, and corrects what was reckoned by the tokens that were used. */
  readonly end: (tokens: number | undefined) => Effect.Effect<void>
}

/** Lets a request in or refuses it with 429. */
export class Limits extends Context.Service<
  Limits,
  { readonly admit: (exchange: Decoded) => Effect.Effect<Admission, Refused> }
>()("@tollgate/gateway/Limits") {
  /** Everything is let in and no header is sent. */
  static readonly layerOff = Layer.succeed(Limits, { admit: () => Effect.succeed(unlimited) })
}

const unlimited: Admission = { headers: {}, end: () => Effect.void }
