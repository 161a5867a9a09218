import type { UsageGroup, UsageSeries } from "@tollgate/contract/account/UsageSeries"
import * as Result from "effect/Result"
import { type Counts, counters, plus, spans } from "../ledger/UsageTotals.ts"
import { isExact, times, totalsOf, zeros } from "./report.ts"
import type { Owner, SeriesQuery } from "./Usage.ts"
import * as Window from "./Window.ts"

const [, hour, day] = spans
const longestByHour = 31 * day
/** A window up to this length is shown by hour unless the query says otherwise. */
const usuallyByHour = 2 * day

/** The most groups of a kind. The rest is one group more. */
export const maxGroups = 200

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

export interface Group {
  readonly id: string
  readonly label: string
  readonly counts: Counts
}

/** What the store knows of a span. */
export interface Found {
  /** By the start of the bucket. */
  readonly buckets: ReadonlyMap<number, Counts>
  readonly before: Counts
  readonly keys: ReadonlyArray<Group>
  readonly operations: ReadonlyArray<Group>
  readonly models: ReadonlyArray<Group>
}

const minus = (one: Counts, other: Counts): Counts =>
  Object.fromEntries(counters.map((name) => [name, one[name] - other[name]])) as Counts

export const sumOf = (all: ReadonlyArray<Counts>): Counts => all.reduce(plus, zeros)

export const groupOf = ({ counts, id, label }: Group): UsageGroup => ({ id, label, totals: totalsOf(counts) })

/** What the groups leave out becomes a group of its own. */
export const withRest = (groups: ReadonlyArray<Group>, total: Counts): ReadonlyArray<UsageGroup> => {
  const shown = groups.map(groupOf)
  if (groups.length < maxGroups) return shown
  const rest = minus(total, sumOf(groups.map(({ counts }) => counts)))
  return rest.requests === 0n ? shown : [...shown, groupOf({ id: "other", label: "other", counts: rest })]
}

/** A bucket for each hour or day of the window, empty ones included. */
export const bucketsOf = (width: Width, { end, start }: Window.Window, found: ReadonlyMap<number, Counts>) => {
  const span = widths[width]
  return Array.from({ length: (end - start) / span }, (_, i) => {
    const at = start + i * span
    return { ...times({ start: at, end: at + span }), ...totalsOf(found.get(at) ?? zeros) }
  })
}

/** `undefined` if a number of the series would be inexact. */
export const series = (owner: Owner, { width, window }: Span, found: Found): UsageSeries | undefined => {
  const total = sumOf([...found.buckets.values()])
  if (!isExact(total) || !isExact(found.before)) return undefined
  return {
    scope: owner.key === undefined ? "account" : "key",
    currency: "USD",
    ...times(window),
    bucket_width: width,
    totals: totalsOf(total),
    before: totalsOf(found.before),
    buckets: bucketsOf(width, window, found.buckets),
    by_key: withRest(found.keys, total),
    by_operation: withRest(found.operations, total),
    by_model: withRest(found.models, total)
  }
}
