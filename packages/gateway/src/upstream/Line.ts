import * as Redacted from "effect/Redacted"
import { Bucket } from "../limits/Bucket.ts"
import { Breaker } from "./Breaker.ts"
import { Connections } from "./Connections.ts"
import type { Protocol } from "./Protocol.ts"
import { protocols } from "./protocols/all.ts"
import type { Provider } from "./Provider.ts"
import type { Route, Target } from "./Route.ts"
import { Scrubber } from "./Scrubber.ts"

/** A target with all that a call to it needs. */
export interface Line extends Target {
  readonly protocol: Protocol | undefined
  /** Missing where the provider has none. */
  readonly breaker: Breaker | undefined
  /** Missing where the operator sets no limit. */
  readonly quota: Bucket | undefined
  readonly connections: Connections
  /** Knows the provider's credential. */
  readonly scrubber: Scrubber
}

/** The time to connect, which the deadline does not include. */
const connectMillis = 10_000

/** One for each provider, however many targets it has. */
const perProvider = <A>(make: (provider: Provider) => A) => {
  const known = new Map<string, A>()
  return (provider: Provider): A => {
    const made = known.get(provider.name) ?? make(provider)
    known.set(provider.name, made)
    return made
  }
}

export const linesOf = (routes: ReadonlyArray<Route>): ReadonlyArray<Route<Line>> => {
  const known = new Map(protocols.map((protocol) => [protocol.id, protocol]))
  const breakerOf = perProvider(({ breaker, deadlineMillis }) =>
    breaker ? new Breaker(deadlineMillis + connectMillis) : undefined
  )
  const quotaOf = perProvider(({ rpm }) => (rpm === undefined ? undefined : new Bucket(rpm, 0)))
  const connectionsOf = perProvider(({ connections }) => new Connections(connections))
  const scrubberOf = perProvider(
    ({ credential }) => new Scrubber(credential === undefined ? [] : [Redacted.value(credential.value)])
  )
  return routes.map((route) => ({
    ...route,
    to: route.to.map((target) => ({
      ...target,
      protocol: known.get(target.provider.protocol),
      breaker: breakerOf(target.provider),
      quota: quotaOf(target.provider),
      connections: connectionsOf(target.provider),
      scrubber: scrubberOf(target.provider)
    }))
  }))
}
