import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { amount, number, type Row, type Rows, text } from "@tollgate/ledger/store/rows"
import { leastGauge, plain, type Sample, sharedGauge, single, type Snapshot } from "./Family.ts"

/** The connections of a store that has several. */
export class StorePool extends Context.Service<
  StorePool,
  {
    readonly size: () => { readonly open: number; readonly idle: number; readonly limit: number }
    /** How many wait for a connection. */
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

const states = ["open", "running"]

const queryMillis = 2_000
const freshMillis = 5_000

const up = (value: number) =>
  leastGauge("tollgate_store_up", "1 if the store answered the last query for these metrics.", single(value))

const families = (calls: ReadonlyArray<Row>, [accounts]: ReadonlyArray<Row>): Snapshot => {
  const byState = (value: (row: Row) => number | bigint): ReadonlyArray<Sample> =>
    states.map((state) => {
      const row = calls.find((row) => text(row, "state") === state)
      return { labels: { state }, value: row === undefined ? 0 : plain(value(row)) }
    })
  return [
    up(1),
    sharedGauge(
      "tollgate_calls_suspended",
      "Calls that have not ended: in flight, or running as a task.",
      byState((row) => number(row, "calls"))
    ),
    sharedGauge(
      "tollgate_reserved_micro_usd",
      "Amount that is reserved for calls that have not ended.",
      byState((row) => amount(row, "reserved"))
    ),
    sharedGauge(
      "tollgate_overdrawn_accounts",
      "Accounts with a balance below zero.",
      single(accounts === undefined ? 0 : number(accounts, "accounts"))
    ),
    sharedGauge(
      "tollgate_overdraft_micro_usd",
      "How far the balances of these accounts are below zero, together.",
      single(accounts === undefined ? 0n : amount(accounts, "amount"))
    )
  ]
}

/** What only the store knows. Read at most once in five seconds; a store that does not answer is reported as down. */
export const storeFamilies = ({ run }: Pick<Rows, "run">): Effect.Effect<Effect.Effect<Snapshot>> =>
  Effect.zipWith(run(suspended, []), run(overdrawn, []), families).pipe(
    Effect.timeoutOrElse({ duration: queryMillis, orElse: () => Effect.succeed([up(0)]) }),
    Effect.catchCause(() => Effect.succeed([up(0)])),
    Effect.cachedWithTTL(freshMillis)
  )
