import * as Redacted from "effect/Redacted"
import type { Protocol } from "./Protocol.ts"
import { protocols } from "./allProtocols.ts"
import type { ProviderState, ProviderStates } from "./ProviderStates.ts"
import type { Route, Target } from "./Route.ts"
import { Scrubber } from "./Scrubber.ts"

/** A target with all that a call to it needs. */
export interface Endpoint extends Target, ProviderState {
  readonly protocol: Protocol | undefined
  /** Knows the provider's credential. */
  readonly scrubber: Scrubber
}

export const endpointsOf = (routes: ReadonlyArray<Route>, states: ProviderStates): ReadonlyArray<Route<Endpoint>> => {
  const known = new Map(protocols.map((protocol) => [protocol.id, protocol]))
  const endpointOf = (target: Target): Endpoint => {
    const { credential, protocol } = target.provider
    return {
      ...target,
      ...states.of(target.provider),
      protocol: known.get(protocol),
      scrubber: new Scrubber(
        credential === undefined
          ? []
          : (credential.rotation?.all ?? [credential.value]).map((value) => Redacted.value(value))
      )
    }
  }
  return routes.map((route) => ({ ...route, to: route.to.map(endpointOf) }))
}
