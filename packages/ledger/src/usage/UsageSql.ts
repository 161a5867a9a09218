import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { SqlClient } from "effect/sql/SqlClient"
import { foldUsage } from "../commit/postgres/foldUsage.ts"
import { type Counts, counters, spans } from "../ledger/UsageTotals.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import * as Rows from "../store/rows.ts"
import { amount, number, type Row } from "../store/rows.ts"
import { margin } from "./margin.ts"
import * as MarginSql from "./margin.ts"
import { report } from "./report.ts"
import { StoreTurns } from "./ReportTurns.ts"
import * as Series from "./series.ts"
import * as SeriesSql from "./series.ts"
import { parseTag } from "./tagQuery.ts"
import { tagUsage } from "./tagUsage.ts"
import * as TagUsageSql from "./tagUsage.ts"
import { type Owner, Usage } from "./Usage.ts"
import * as Window from "./Window.ts"

const unavailable = () => refuse("billing_unavailable", "The usage report is not available.", { retryAfter: 1_000 })

const tooLarge = "The sums of this window are too large for one report. Ask for a shorter window."

const notTag = refuse("invalid_request", "tag: a tag like team=search, or the name of one, is expected.", {
  param: "tag"
})

const fromTotals = counters.join(", ")
const fromCalls = ["1", "failed", ...counters.slice(2)].map((value, i) => `${value} AS ${counters[i]}`).join(", ")
const day = `ended / ${spans[2]}`
const summed = counters.map((name) => `SUM(${name}) AS ${name}`).join(", ")

const countsOf = (row: Row) => Object.fromEntries(counters.map((name) => [name, amount(row, name)])) as Counts

const make = Effect.gen(function* () {
  const rows = Rows.make(yield* SqlClient)
  const seriesOf = SeriesSql.make(rows)
  const tagsOf = TagUsageSql.make(rows)
  const marginOf = MarginSql.make(rows)
  const turns = yield* StoreTurns
  /** Reads totals that have everything that was committed before, and makes a report of them. */
  const inTurn = <A, B>(read: Effect.Effect<A, Refused>, make: (read: A) => B | undefined): Effect.Effect<B, Refused> =>
    turns
      .run(
        Effect.andThen(
          Effect.mapError(foldUsage(rows), unavailable),
          Effect.map(read, (found) => make(found))
        )
      )
      .pipe(
        Effect.flatMap((made) =>
          made === undefined ? Effect.fail(refuse("invalid_request", tooLarge)) : Effect.succeed(made)
        )
      )

  /** One statement, so that all parts read the same snapshot. */
  const countsByDay = Effect.fnUntraced(function* ({ account, key }: Owner, window: Window.Window) {
    const values: Array<Rows.Value> = []
    const bind = (value: Rows.Value) => rows.mark(values.push(value))
    const whose = () => `account = ${bind(account)}${key === undefined ? "" : ` AND key = ${bind(key)}`}`
    const parts = Window.pieces(window).map(({ end, span, start }) =>
      span === "call"
        ? `SELECT ended_at AS ended, ${fromCalls} FROM calls` +
          ` WHERE ${whose()} AND ended_at >= ${bind(start)} AND ended_at < ${bind(end)} AND state <> 'refused'`
        : `SELECT start AS ended, ${fromTotals} FROM ${key === undefined ? "account_sums" : "usage_sums"}` +
          ` WHERE ${whose()} AND span = ${span} AND start >= ${bind(start)} AND start < ${bind(end)}`
    )
    const found = yield* rows.run(
      `SELECT ${day} AS day, ${summed} FROM (${parts.join(" UNION ALL ")}) AS parts GROUP BY ${day}`,
      values
    )
    return new Map(found.map((row) => [number(row, "day"), countsOf(row)]))
  }, Effect.mapError(unavailable))

  return Usage.of({
    report: Effect.fn("Usage.report")(function* (owner, query) {
      const window = Window.parse(query, yield* Clock.currentTimeMillis)
      if (Result.isFailure(window)) return yield* refuse("invalid_request", window.failure)
      return yield* inTurn(countsByDay(owner, window.success), (used) => report(owner, window.success, used))
    }),
    series: Effect.fn("Usage.series")(function* (owner, query) {
      const span = Series.parse(query, yield* Clock.currentTimeMillis)
      if (Result.isFailure(span)) return yield* refuse("invalid_request", span.failure)
      return yield* inTurn(Effect.mapError(seriesOf(owner, span.success), unavailable), (totals) =>
        Series.series(owner, span.success, totals)
      )
    }),
    byTag: Effect.fn("Usage.byTag")(function* (owner, query) {
      const span = Series.parse(query, yield* Clock.currentTimeMillis)
      if (Result.isFailure(span)) return yield* refuse("invalid_request", span.failure)
      const tag = query.tag === undefined ? undefined : parseTag(query.tag)
      if (query.tag !== undefined && tag === undefined) return yield* notTag
      return yield* inTurn(Effect.mapError(tagsOf(owner, span.success, tag), unavailable), (found) =>
        tagUsage(owner, span.success, tag, found)
      )
    }),
    margin: Effect.fn("Usage.margin")(function* (query) {
      const parsed = Window.parse(query, yield* Clock.currentTimeMillis)
      if (Result.isFailure(parsed)) return yield* refuse("invalid_request", parsed.failure)
      const window = Window.wholeDays(parsed.success)
      return yield* inTurn(Effect.mapError(marginOf(query.account, window), unavailable), (found) =>
        margin(window, found)
      )
    })
  })
})

export const layer: Layer.Layer<Usage, never, SqlClient> = Layer.provide(Layer.effect(Usage, make), StoreTurns.layer)
