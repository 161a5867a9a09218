import { Limits } from "@tollgate/gateway"
import type { Authenticated, Routed } from "@tollgate/gateway/exchange/Exchange"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

type Principal = NonNullable<Authenticated["principal"]>

let worlds = 0

const named = (world: string, principal: Principal): Principal => ({
  ...principal,
  account: `${world}${principal.account}`,
  ...(principal.key === undefined ? {} : { key: `${world}${principal.key}` })
})

/** The same limits, with keys that no other test uses. */
export const apart = <E, R>(layer: Layer.Layer<Limits, E, R>): Layer.Layer<Limits, E, R> => {
  const renamed = Effect.map(Limits, (limits) => {
    const world = `${++worlds}_`
    const inWorld = <A extends Authenticated>(exchange: A): A =>
      exchange.principal === undefined ? exchange : { ...exchange, principal: named(world, exchange.principal) }
    // Of another key: to look applies the allowance.
    const seen = ({ operation: { limit }, principal }: Routed) =>
      principal === undefined || (!limit.concurrency && !limit.tokens)
        ? Effect.void
        : Effect.ignore(limits.state(named(`${world}nobody_`, principal)))
    return Limits.of({
      admit: (exchange) =>
        Effect.map(limits.admit(inWorld(exchange)), (admission) => ({
          get limits() {
            return admission.limits
          },
          takeTokens: admission.takeTokens,
          // Nobody waits for an end, but whoever asks next does: so the test moves the clock after it.
          end: (used) => Effect.andThen(admission.end(used), seen(exchange))
        })),
      count: (exchange) => limits.count(inWorld(exchange)),
      state: (principal) => limits.state(named(world, principal))
    })
  })
  return Layer.provide(Layer.effect(Limits, renamed), layer)
}
