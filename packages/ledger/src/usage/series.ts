import * as Result from "effect/Result"
import * as Effect from "effect/Effect"
import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import * as Window from "./Query.ts"
import { type Owner, pieces, type SeriesQuery } from "./Query.ts"
import type * as Rows from "../store/rows.ts"
import { type Counts, spans } from "../ledger/UsageTotals.ts"
import { isExact, totalsOf, used } from "./report.ts"
import { conditions, labelsOf, times } from "./sums.ts"

const [, hour, day] = spans
const longestByHour = 31 * day
/** A window up to this length is shown by hour unless the query says otherwise. */
const usuallyByHour = 2 * day

export type Width = UsageSeries["bucket_width"]

export const widths: Readonly<Record<Width, typeof hour | typeof day>> = { "1h": hour, "1d": day }

export interface Span {
  readonly width: Width
  /** Whole hours or days. */
  readonly window: Window.Window
  /** The window of the same length before it. */
  readonly before: Window.Window
}

/** The window of a query, or what is wrong with it. */
export const parse = (query: SeriesQuery, now: number): Result.Result<Span, string> => {
  const asked = Window.parse(query, now)
  if (Result.isFailure(asked)) return Result.fail(asked.failure)
  const length = asked.success.end - asked.success.start
  const width = query.width ?? (length <= usuallyByHour ? "1h" : "1d")
  if (width === "1h" && length > longestByHour) return Result.fail("by hour the window is longer than 31 days")
  const span = widths[width]
  const start = Math.floor(asked.success.start / span) * span
  const end = Math.ceil(asked.success.end / span) * span
  return Result.succeed({ width, window: { start, end }, before: { start: start - (end - start), end: start } })
}

/** A bucket for each hour or day of the window, empty ones included. */
export const bucketsOf = (width: Width, { end, start }: Window.Window, found: ReadonlyMap<number, Counts>) => {
  const span = widths[width]
  return Array.from({ length: (end - start) / span }, (_, i) => {
    const at = start + i * span
    return { ...times({ start: at, end: at + span }), ...totalsOf(found.get(at) ?? used.zeros) }
  })
}

/** Reads totals only, never single calls. `undefined` if a number of the series would be inexact. */
export const make = (rows: Rows.Rows) => {
  const select = (owner: Owner, { before, width, window }: Span) => {
    const { bind, ofKey, ofUsedKeys, values, within } = conditions(rows)
    const { account, key } = owner
    const whose = () => `account = ${bind(account)}${key === undefined ? "" : ` AND ${ofKey(account, owner)}`}`
    const sums = key === undefined ? "account_sums" : "usage_sums"

    const groups = (column: "key" | "operation" | "model") => {
      const table = column === "key" ? "usage_sums" : "operation_sums"
      const parts = pieces(window).map(
        (piece) =>
          `SELECT ${column} AS id, ${used.names} FROM ${table} WHERE ${whose()}` +
          (column === "key" || key !== undefined ? "" : ` AND ${ofUsedKeys(account, window)}`) +
          ` AND span = ${piece.span} AND ${within(piece)}`
      )
      return used.selectGroups(column, parts.join(" UNION ALL "), "requests")
    }

    const text = [
      `SELECT 'bucket' AS part, '' AS id, start AS at, ${used.names} FROM ${sums}` +
        ` WHERE ${whose()} AND span = ${widths[width]} AND ${within(window)}`,
      ...pieces(before).map(
        (piece) =>
          `SELECT 'before' AS part, '' AS id, 0 AS at, ${used.names} FROM ${sums}` +
          ` WHERE ${whose()} AND span = ${piece.span} AND ${within(piece)}`
      ),
      groups("key"),
      groups("operation"),
      groups("model")
    ].join(" UNION ALL ")
    return { text, values }
  }

  return Effect.fnUntraced(function* (owner: Owner, span: Span) {
    const { width, window } = span
    const { buckets, groupsOf } = yield* used.read(rows, select(owner, span))
    const total = used.sum(buckets.values())
    const before = used.sum(groupsOf("before").map(({ counts }) => counts))
    if (!isExact(total) || !isExact(before)) return undefined
    const keys = groupsOf("key")
    const labels = yield* labelsOf(rows, "keys", keys)
    const series: UsageSeries = {
      scope: owner.key === undefined ? "account" : "key",
      currency: "USD",
      ...times(window),
      bucket_width: width,
      totals: totalsOf(total),
      before: totalsOf(before),
      buckets: bucketsOf(width, window, buckets),
      by_key: used.shown(keys, total, (id) => labels.get(id) ?? ""),
      by_operation: used.shown(groupsOf("operation"), total),
      by_model: used.shown(groupsOf("model"), total)
    }
    return series
  })
}
