import type { UpstreamHealth, upstreams } from "@tollgate/contract/admin/Upstream"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Breaker, Cause } from "../../upstream/Breaker.ts"
import type { Provider } from "../../upstream/Provider.ts"
import type { ProviderState, ProviderStates } from "../../upstream/ProviderStates.ts"
import { type Route as UpstreamRoute, targetsOf } from "../../upstream/Route.ts"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import { time } from "../managementApi/shapes.ts"

export interface UpstreamsInForce {
  readonly routes: ReadonlyArray<UpstreamRoute>
  readonly states: ProviderStates
}

const causes: Readonly<Record<Cause, string>> = {
  unreached: "No connection can be made.",
  failed: "Calls of several accounts failed.",
  unhealthy: "Its health checks fail."
}

const breakerOf = (breaker: Breaker | undefined, now: number) => {
  const view = breaker?.view(now)
  if (view === undefined || view.state === "closed")
    return { breaker: view?.state ?? "off", cause: null, retry_at: null } as const
  const { state } = view
  return { breaker: state, cause: causes[view.cause], retry_at: state === "open" ? time(view.until) : null } as const
}

/** Without user info, query and fragment, which could hold a credential. */
const shownUrl = (url: string): string =>
  url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, "$1").replace(/[?#].*$/s, "")

interface Served {
  readonly provider: Provider
  readonly state: ProviderState
  /** By operation and weight: the models. */
  readonly routes: Map<string, { readonly operation: string; readonly weight: number; readonly models: Array<string> }>
}

/** Operations with the same models and weight are one route. */
const routesOf = ({ routes }: Served): UpstreamHealth["routes"] => {
  const merged = new Map<string, { operations: Array<string>; models: ReadonlyArray<string>; weight: number }>()
  for (const { models, operation, weight } of routes.values()) {
    const id = JSON.stringify([weight, models])
    const same = merged.get(id)
    if (same === undefined) merged.set(id, { operations: [operation], models, weight })
    else same.operations.push(operation)
  }
  return [...merged.values()]
}

const mostLeftOut = 100

const healthOf = (served: Served, now: number): UpstreamHealth => {
  const { breaker, connections, quota, sessions } = served.state
  quota?.refill(quota.limit, now)
  return {
    name: served.provider.name,
    base_url: shownUrl(served.provider.baseUrl),
    ...breakerOf(breaker, now),
    connections: { limit: connections.limit, busy: connections.busy, waiting: connections.waiting },
    rpm: quota === undefined ? null : { limit: quota.limit, remaining: quota.state.remaining },
    routes: routesOf(served),
    tools_left_out: (sessions?.leftOut ?? []).slice(0, mostLeftOut).map(({ name: tool, reason }) => ({ tool, reason }))
  }
}

/** One entry for each state: targets that share connections and breaker are one upstream. */
export const health = ({ routes, states }: UpstreamsInForce, now: number): ReadonlyArray<UpstreamHealth> => {
  const all = new Map<ProviderState, Served>()
  for (const route of routes) {
    const { model, operation } = route
    for (const { provider, weight } of targetsOf(route)) {
      const state = states.of(provider)
      const served = all.get(state) ?? { provider, state, routes: new Map() }
      all.set(state, served)
      // A route for all models is apart from those for some.
      const id = JSON.stringify([operation, weight, model === undefined])
      const share = served.routes.get(id) ?? { operation, weight, models: [] }
      served.routes.set(id, share)
      if (model !== undefined) share.models.push(model)
    }
  }
  return [...all.values()].map((served) => healthOf(served, now))
}

export const upstreamHandlers = (inForce: () => UpstreamsInForce): Handlers<typeof upstreams> => ({
  upstreams: () => Effect.map(Clock.currentTimeMillis, (now) => ({ upstreams: health(inForce(), now) }))
})
