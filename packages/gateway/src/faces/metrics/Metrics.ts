import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import type { UpstreamsInForce } from "../admin/upstreams.ts"
import type { Gateway } from "../../call/Gateway.ts"
import * as Rows from "../../books/store/rows.ts"
import type { CallListener } from "../../observe/OnCallEnded.ts"
import type { CommitListener } from "../../books/commit/OnCommit.ts"
import { StorePool } from "../../observe/StorePool.ts"
import { CallMetrics } from "./CallMetrics.ts"
import { CommitMetrics } from "./CommitMetrics.ts"
import type { Snapshot } from "./Family.ts"
import { ModelLabels } from "./ModelLabels.ts"
import { poolFamilies } from "./poolFamilies.ts"
import { storeFamilies } from "./storeFamilies.ts"
import { upstreamFamilies } from "./upstreamFamilies.ts"

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
      const store = storeFamilies(Rows.make(yield* SqlClient))
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
