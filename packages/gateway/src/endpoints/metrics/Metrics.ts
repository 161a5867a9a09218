import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { type UpstreamsInForce, health } from "../admin/upstreams.ts"
import type { Gateway } from "../../call/Gateway.ts"
import * as Rows from "@tollgate/ledger/store/rows"
import type { CallListener } from "../../observe/CallEvent.ts"
import type { CommitListener } from "@tollgate/ledger/commit/OnCommit"
import { storeFamilies, StorePool } from "./storeFamilies.ts"
import { CallMetrics } from "./CallMetrics.ts"
import { CommitMetrics } from "./CommitMetrics.ts"
import { gauge, type Sample, sharedGauge, single, type Snapshot } from "./Family.ts"
import { ModelLabels } from "./ModelLabels.ts"

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

export const poolFamilies = (pool: StorePool["Service"]): Snapshot => {
  const { idle, limit, open } = pool.size()
  return [
    gauge("tollgate_store_connections", "Open connections to the store.", [
      { labels: { state: "in_use" }, value: open - idle },
      { labels: { state: "idle" }, value: idle }
    ]),
    gauge("tollgate_store_connections_limit", "Most connections to the store.", single(limit)),
    gauge("tollgate_store_queue_length", "Statements that wait for a connection to the store.", single(pool.waiting()))
  ]
}

/** What is measured: the gateway in force, and its upstreams. */
export interface Measured {
  readonly gateway: () => Gateway
  readonly upstreams: () => UpstreamsInForce
}

export interface Metrics {
  readonly onCallEnded: CallListener
  readonly onCommit: CommitListener
  /**
   * Returns an effect that reads all metrics. `more` is what the program adds, such as the state of its process. The listeners
   * are needed before there is a gateway, so it is named here.
   */
  readonly read: (measured: Measured, more: () => Snapshot) => Effect.Effect<Effect.Effect<Snapshot>, never, SqlClient>
}

/** What a gateway counts about itself. */
export const make = (): Metrics => {
  let measured: Measured | undefined
  const calls = new CallMetrics(
    new ModelLabels(
      () => measured && { ...measured.gateway(), routes: measured.upstreams().routes },
      () => measured?.gateway()
    )
  )
  const commits = new CommitMetrics()
  return {
    onCallEnded: calls.count,
    onCommit: commits,
    read: Effect.fnUntraced(function* (all, more) {
      measured = all
      const store = yield* storeFamilies(Rows.make(yield* SqlClient))
      const pool = Option.getOrUndefined(yield* Effect.serviceOption(StorePool))
      return Effect.map(Effect.all([Clock.currentTimeMillis, store]), ([now, ofStore]): Snapshot => [
        ...calls.snapshot(),
        ...upstreamFamilies(all.upstreams(), now),
        ...ofStore,
        ...(pool === undefined ? [] : poolFamilies(pool)),
        ...commits.snapshot(),
        ...more()
      ])
    })
  }
}
