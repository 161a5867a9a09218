import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { SafeIntegers, SqlClient } from "effect/sql/SqlClient"
import { type Counts, counters, spans } from "../ledger/UsageTotals.ts"
import { refuse } from "../Refused.ts"
import { amount, number, type Row } from "../store/rows.ts"
import { report } from "./report.ts"
import { type Owner, Usage } from "./Usage.ts"
import * as Window from "./Window.ts"

const unavailable = () => refuse("billing_unavailable", "The usage report is not available.", { retryAfter: 1_000 })

const countsOf = (row: Row) => Object.fromEntries(counters.map((name) => [name, amount(row, name)])) as Counts

/** Reads whole numbers as bigint: amounts are among them. */
const withBigints = Effect.provideService(SafeIntegers, true)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const unionAll = sql.join(" UNION ALL ", false)
  const columns = sql.literal(counters.join(", "))
  const day = sql.literal(`ended / ${spans[2]}`)
  const totals = sql.literal(counters.map((name) => `SUM(${name}) AS ${name}`).join(", "))
  const columnsOfCall = sql.literal(
    ["1", "CASE WHEN state = 'settled' THEN 0 ELSE 1 END", ...counters.slice(2)]
      .map((value, i) => `${value} AS ${counters[i]}`)
      .join(", ")
  )

  /** One statement, so that a call that ends meanwhile is counted in full or not at all. */
  const countsByDay = Effect.fnUntraced(function* ({ account, key }: Owner, window: Window.Window) {
    const sums = sql(key === undefined ? "account_sums" : "usage_sums")
    const owner = key === undefined ? sql`account = ${account}` : sql`account = ${account} AND key = ${key}`
    const parts = Window.pieces(window).map(({ end, span, start }) =>
      span === "call"
        ? sql`SELECT ended_at AS ended, ${columnsOfCall} FROM calls
            WHERE ${owner} AND ended_at >= ${start} AND ended_at < ${end}`
        : sql`SELECT start AS ended, ${columns} FROM ${sums}
            WHERE ${owner} AND span = ${span} AND start >= ${start} AND start < ${end}`
    )
    const found = yield* withBigints(
      sql<Row>`SELECT ${day} AS day, ${totals} FROM (${unionAll(parts)}) AS parts GROUP BY ${day}`
    )
    return new Map(found.map((row) => [number(row, "day"), countsOf(row)]))
  }, Effect.mapError(unavailable))

  return Usage.of({
    report: Effect.fn("Usage.report")(function* (owner, query) {
      const window = Window.parse(query, yield* Clock.currentTimeMillis)
      if (Result.isFailure(window)) return yield* refuse("invalid_request", window.failure)
      return report(owner, window.success, yield* countsByDay(owner, window.success))
    })
  })
})

export const layer: Layer.Layer<Usage, never, SqlClient> = Layer.effect(Usage, make)
