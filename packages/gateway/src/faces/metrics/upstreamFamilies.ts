import { health, type UpstreamsInForce } from "../admin/upstreams.ts"
import { gauge, type Sample, sharedGauge, type Snapshot } from "./Family.ts"

const states = ["closed", "open", "probing"] as const

/** The upstreams in force: their breakers, connections and queues. */
export const upstreamFamilies = (inForce: UpstreamsInForce, now: number): Snapshot => {
  const all = health(inForce, now)
  const of = (value: (upstream: (typeof all)[number]) => number): ReadonlyArray<Sample> =>
    all.map((upstream) => ({ labels: { upstream: upstream.name }, value: value(upstream) }))
  return [
    sharedGauge(
      "tollgate_upstream_breaker",
      "1 for the state that the upstream's circuit breaker is in.",
      all.flatMap(({ breaker, name }) =>
        breaker === "off"
          ? []
          : states.map((state) => ({ labels: { upstream: name, state }, value: breaker === state ? 1 : 0 }))
      )
    ),
    gauge(
      "tollgate_upstream_connections_in_use",
      "Connections to the upstream that carry a call.",
      of(({ connections }) => connections.busy)
    ),
    gauge(
      "tollgate_upstream_connections_limit",
      "Most connections to the upstream.",
      of(({ connections }) => connections.limit)
    ),
    gauge(
      "tollgate_upstream_queue_length",
      "Calls that wait for a connection to the upstream.",
      of(({ connections }) => connections.waiting)
    )
  ]
}
