import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { amount, make as makeRows, number, type Row, type Rows, text } from "@tollgate/ledger/store/rows"
import { counter, gauge, Histogram, leastGauge, plain, sharedGauge, single } from "./Family.ts"
import type { Family, Sample, Snapshot } from "./Family.ts"
import * as Clock from "effect/Clock"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { type UpstreamsInForce, health } from "../admin/upstreams.ts"
import type { Gateway } from "../../call/Gateway.ts"
import type { CommitListener } from "@tollgate/ledger/commit/OnCommit"
import { CallMetrics } from "./CallMetrics.ts"
import { ModelLabels } from "./ModelLabels.ts"

/** Seconds. */
const commitBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const groupBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000]

const help = {
  failures: "Commits of the ledger that failed and are retried.",
  moved: "Entries of the journal that a checkpoint moved into the tables.",
  suspended: "Calls that have not ended: in flight, or running as a task.",
  reserved: "Amount that is reserved for calls that have not ended.",
  overdrawn: "Accounts with a balance below zero.",
  overdraft: "How far the balances of these accounts are below zero, together.",
  breaker: "1 for the state that the upstream's circuit breaker is in.",
  busy: "Connections to the upstream that carry a call.",
  limit: "Most connections to the upstream.",
  waiting: "Calls that wait for a connection to the upstream."
}

/** What the ledger writes, in which groups, and how long it takes. */
class CommitMetrics implements CommitListener {
  readonly #groups = new Histogram(groupBounds)
  readonly #commits = new Histogram(commitBounds)
  readonly #checkpoints = new Histogram(commitBounds)
  #failures = 0
  #moved = 0
  #journal: (() => number) | undefined
  #waiting: () => number = () => 0

  readonly committed = (commands: number, seconds: number, hasFailed: boolean): void => {
    this.#groups.observe(commands)
    this.#commits.observe(seconds)
    if (hasFailed) this.#failures++
  }

  readonly checkpointed = (entries: number, seconds: number): void => {
    this.#moved += entries
    this.#checkpoints.observe(seconds)
  }

  readonly journalIs = (entries: () => number): void => {
    this.#journal = entries
  }

  readonly waitingIs = (calls: () => number): void => {
    this.#waiting = calls
  }

  snapshot(): Snapshot {
    return [
      gauge("tollgate_calls_waiting", "Calls that wait for money that others have reserved.", single(this.#waiting())),
      this.#groups.family("tollgate_ledger_group_size", "Commands that were committed together."),
      this.#commits.family("tollgate_ledger_commit_duration_seconds", "Time of a commit of the ledger."),
      counter("tollgate_ledger_commit_failures_total", help.failures, single(this.#failures)),
      ...(this.#journal === undefined ? [] : this.#journalFamilies(this.#journal()))
    ]
  }

  #journalFamilies(entries: number): ReadonlyArray<Family> {
    return [
      gauge("tollgate_journal_entries", "Entries of the journal that wait for a checkpoint.", single(entries)),
      counter("tollgate_journal_moved_total", help.moved, single(this.#moved)),
      this.#checkpoints.family("tollgate_journal_checkpoint_duration_seconds", "Time of a checkpoint of the journal.")
    ]
  }
}

/** The connections of a store that has several. */
export class StorePool extends Context.Service<
  StorePool,
  {
    readonly size: () => { readonly open: number; readonly idle: number; readonly limit: number }
    readonly waiting: () => number
  }
>()("@tollgate/gateway/StorePool") {}

// The sums are cast, because PostgreSQL adds up integers as decimals.
const suspended =
  "SELECT state, COUNT(*) AS calls, CAST(COALESCE(SUM(reserved), 0) AS BIGINT) AS reserved FROM calls" +
  " WHERE state = 'open' GROUP BY state" +
  " UNION ALL SELECT 'running', COUNT(*), CAST(COALESCE(SUM(c.reserved), 0) AS BIGINT)" +
  " FROM tasks t JOIN calls c ON c.id = t.call WHERE t.ended_at IS NULL"
const overdrawn =
  "SELECT COUNT(*) AS accounts, CAST(COALESCE(SUM(-balance), 0) AS BIGINT) AS amount FROM accounts WHERE balance < 0"

const callStates = ["open", "running"]

const queryMillis = 2_000
const freshMillis = 5_000

const up = (value: number) =>
  leastGauge("tollgate_store_up", "1 if the store answered the last query for these metrics.", single(value))

const families = (calls: ReadonlyArray<Row>, [accounts = { accounts: 0, amount: 0 }]: ReadonlyArray<Row>): Snapshot => {
  const byState = (read: (row: Row, name: string) => number | bigint, name: string): ReadonlyArray<Sample> =>
    callStates.map((state) => {
      const row = calls.find((row) => text(row, "state") === state)
      return { labels: { state }, value: row === undefined ? 0 : plain(read(row, name)) }
    })
  return [
    up(1),
    sharedGauge("tollgate_calls_suspended", help.suspended, byState(number, "calls")),
    sharedGauge("tollgate_reserved_micro_usd", help.reserved, byState(amount, "reserved")),
    sharedGauge("tollgate_overdrawn_accounts", help.overdrawn, single(number(accounts, "accounts"))),
    sharedGauge("tollgate_overdraft_micro_usd", help.overdraft, single(amount(accounts, "amount")))
  ]
}

/** What only the store knows. Read at most once in five seconds; a store that does not answer is reported as down. */
export const storeFamilies = ({ run }: Pick<Rows, "run">): Effect.Effect<Effect.Effect<Snapshot>> =>
  Effect.zipWith(run(suspended, []), run(overdrawn, []), families).pipe(
    Effect.timeoutOrElse({ duration: queryMillis, orElse: () => Effect.succeed([up(0)]) }),
    Effect.catchCause(() => Effect.succeed([up(0)])),
    Effect.cachedWithTTL(freshMillis)
  )

const breakerStates = ["closed", "open", "probing"] as const

export const upstreamFamilies = (inForce: UpstreamsInForce, now: number): Snapshot => {
  const all = health(inForce, now)
  const of = (part: "busy" | "limit" | "waiting"): ReadonlyArray<Sample> =>
    all.map(({ connections, name }) => ({ labels: { upstream: name }, value: connections[part] }))
  return [
    sharedGauge(
      "tollgate_upstream_breaker",
      help.breaker,
      all.flatMap(({ breaker, name }) =>
        breaker === "off"
          ? []
          : breakerStates.map((state) => ({ labels: { upstream: name, state }, value: breaker === state ? 1 : 0 }))
      )
    ),
    gauge("tollgate_upstream_connections_in_use", help.busy, of("busy")),
    gauge("tollgate_upstream_connections_limit", help.limit, of("limit")),
    gauge("tollgate_upstream_queue_length", help.waiting, of("waiting"))
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

export interface Measured {
  readonly gateway: () => Gateway
  readonly upstreams: () => UpstreamsInForce
}

/** What a gateway counts about itself. */
export const make = () => {
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
    onCommit: commits satisfies CommitListener as CommitListener,
    /**
     * Returns an effect that reads all metrics. `more` is what the program adds, such as the state of its process. The listeners
     * are needed before there is a gateway, so it is named here.
     */
    read: Effect.fnUntraced(function* (all: Measured, more: () => Snapshot) {
      measured = all
      const store = yield* storeFamilies(makeRows(yield* SqlClient))
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

export type Metrics = ReturnType<typeof make>
