import type { TagUsage } from "@tollgate/contract/account/TagUsage"
import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import type { Margin, MarginQuery } from "@tollgate/contract/admin/Margin"
import type { UsageReport } from "@tollgate/contract/resources/UsageReport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { type Owner, parseTag, type SeriesQuery, type TagOwner, type TagUsageQuery, type WindowQuery } from "./Query.ts"
import * as Clock from "effect/Clock"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { SqlClient } from "effect/sql/SqlClient"
import { foldUsage } from "../commit/postgres/foldUsage.ts"
import { counters, spans } from "../ledger/UsageTotals.ts"
import * as Rows from "../store/rows.ts"
import { number } from "../store/rows.ts"
import * as Margins from "./margin.ts"
import { countsOf, names, report, summed } from "./report.ts"
import { StoreTurns } from "./ReportTurns.ts"
import * as Series from "./series.ts"
import * as Window from "./Query.ts"
import * as Tags from "./tagUsage.ts"

export type { Owner } from "./Query.ts"

/** Usage reports. A gateway without this service does not answer `GET /v1/usage`. */
export class Usage extends Context.Service<
  Usage,
  {
    readonly report: (owner: Owner, query: WindowQuery) => Effect.Effect<UsageReport, Refused>
    /** By hour or day, and by key, operation and model. The window is widened to whole hours or days. */
    readonly series: (owner: Owner, query: SeriesQuery) => Effect.Effect<UsageSeries, Refused>
    /** What the calls with a tag used, in a window like that of a series. */
    readonly byTag: (owner: TagOwner, query: TagUsageQuery) => Effect.Effect<TagUsage, Refused>
    /** What calls were charged and cost, of one account or of all. For operators only. */
    readonly margin: (query: MarginQuery) => Effect.Effect<Margin, Refused>
  }
>()("@tollgate/ledger/Usage") {}

const unavailable = () => refuse("billing_unavailable", "The usage report is not available.", { retryAfter: 1_000 })

const tooLarge = "The sums of this window are too large for one report. Ask for a shorter window."

const notTag = refuse("invalid_request", "tag: a tag like team=search, or the name of one, is expected.", {
  param: "tag"
})

const fromCalls = ["1", "failed", ...counters.slice(2)].map((value, i) => `${value} AS ${counters[i]}`).join(", ")
const day = `ended / ${spans[2]}`

const make = Effect.gen(function* () {
  const rows = Rows.make(yield* SqlClient)
  const seriesOf = Series.make(rows)
  const tagsOf = Tags.make(rows)
  const marginOf = Margins.make(rows)
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
        : `SELECT start AS ended, ${names} FROM ${key === undefined ? "account_sums" : "usage_sums"}` +
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
        Tags.tagUsage(owner, span.success, tag, found)
      )
    }),
    margin: Effect.fn("Usage.margin")(function* (query) {
      const parsed = Window.parse(query, yield* Clock.currentTimeMillis)
      if (Result.isFailure(parsed)) return yield* refuse("invalid_request", parsed.failure)
      const window = Window.wholeDays(parsed.success)
      return yield* inTurn(Effect.mapError(marginOf(query.account, window), unavailable), (found) =>
        Margins.margin(window, found)
      )
    })
  })
})

export const layer: Layer.Layer<Usage, never, SqlClient> = Layer.provide(Layer.effect(Usage, make), StoreTurns.layer)
