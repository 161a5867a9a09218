import type { TagUsage } from "@tollgate/contract/account/TagUsage"
import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import type { Margin, MarginQuery } from "@tollgate/contract/admin/Margin"
import type { UsageReport } from "@tollgate/contract/resources/UsageReport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { invalid, refuse, type Refused, unavailable } from "@tollgate/contract/errors/Refused"
import { type Owner, parseTag, type SeriesQuery, type TagOwner, type TagUsageQuery, type WindowQuery } from "./Query.ts"
import * as Clock from "effect/Clock"
import * as Layer from "effect/Layer"
import type * as Result from "effect/Result"
import { SqlClient } from "effect/sql/SqlClient"
import { foldUsage } from "../commit/postgres/foldUsage.ts"
import * as Rows from "../store/rows.ts"
import * as Margins from "./margin.ts"
import * as Overview from "./overview.ts"
import * as Report from "./report.ts"
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
    /** Today against the usual, over all accounts. For operators only. */
    readonly overview: Effect.Effect<Overview.StoreOverview, Refused>
  }
>()("@tollgate/ledger/Usage") {}

const storeFailed = () => unavailable("The usage report is not available.")

const tooLarge = refuse(
  "invalid_request",
  "The sums of this window are too large for one report. Ask for a shorter window."
)

const notTag = invalid("tag", "a tag like team=search, or the name of one, is expected.")

const parsed = <Q, A>(parse: (query: Q, now: number) => Result.Result<A, string>, query: Q) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.mapError(Effect.fromResult(parse(query, now)), (message) => refuse("invalid_request", message))
  )

const make = Effect.gen(function* () {
  const rows = Rows.make(yield* SqlClient)
  const reportOf = Report.make(rows)
  const seriesOf = Series.make(rows)
  const tagsOf = Tags.make(rows)
  const marginOf = Margins.make(rows)
  const overviewOf = Overview.make(rows)
  const turns = yield* StoreTurns
  /** Makes a report of totals that have everything that was committed before. */
  const inTurn = <A, E>(report: Effect.Effect<A | undefined, E>): Effect.Effect<A, Refused> =>
    turns
      .run(Effect.mapError(Effect.andThen(foldUsage(rows), report), storeFailed))
      .pipe(Effect.flatMap((made) => (made === undefined ? Effect.fail(tooLarge) : Effect.succeed(made))))

  return Usage.of({
    report: Effect.fn("Usage.report")(function* (owner, query) {
      return yield* inTurn(reportOf(owner, yield* parsed(Window.parse, query)))
    }),
    series: Effect.fn("Usage.series")(function* (owner, query) {
      return yield* inTurn(seriesOf(owner, yield* parsed(Series.parse, query)))
    }),
    byTag: Effect.fn("Usage.byTag")(function* (owner, query) {
      const span = yield* parsed(Series.parse, query)
      const tag = query.tag === undefined ? undefined : parseTag(query.tag)
      if (query.tag !== undefined && tag === undefined) return yield* notTag
      return yield* inTurn(tagsOf(owner, span, tag))
    }),
    margin: Effect.fn("Usage.margin")(function* (query) {
      const window = Window.wholeDays(yield* parsed(Window.parse, query))
      return yield* inTurn(marginOf(query.account, window))
    }),
    overview: inTurn(overviewOf).pipe(Effect.withSpan("Usage.overview"))
  })
})

export const layer: Layer.Layer<Usage, never, SqlClient> = Layer.provide(Layer.effect(Usage, make), StoreTurns.layer)
