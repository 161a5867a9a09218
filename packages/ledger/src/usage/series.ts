import * as Result from "effect/Result"
import * as Effect from "effect/Effect"
import type { UsageGroup, UsageSeries } from "@tollgate/contract/account/UsageSeries"
import * as Window from "./Query.ts"
import { type Owner, pieces, type SeriesQuery } from "./Query.ts"
import type * as Rows from "../store/rows.ts"
import { number, text } from "../store/rows.ts"
import { counters, type Counts, plus, spans } from "../ledger/UsageTotals.ts"
import { countsOf, isExact, labelsOf, names, summed, times, totalsOf, zeros } from "./report.ts"

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

type GroupColumn = "key" | "operation" | "model"

/** Reads totals only, never single calls. */
export const make = (rows: Rows.Rows) => {
  /** One statement, so that all parts read the same snapshot. */
  const statementOf = ({ account, key, rootKey }: Owner, { before, width, window }: Span) => {
    const values: Array<Rows.Value> = []
    const bind = (value: Rows.Value) => rows.mark(values.push(value))
    const ofKey = () =>
      rootKey === undefined
        ? ` AND key = ${bind(key ?? "")}`
        : ` AND key IN (SELECT id FROM keys WHERE account = ${bind(account)} AND COALESCE(root_key, id) = ${bind(rootKey)})`
    const whose = () => `account = ${bind(account)}${key === undefined ? "" : ofKey()}`
    const within = ({ end, start }: Window.Window) => `start >= ${bind(start)} AND start < ${bind(end)}`
    const sums = key === undefined ? "account_sums" : "usage_sums"

    // The totals by operation are found by key, so the keys come first.
    const keysUsed = () =>
      ` AND key IN (SELECT DISTINCT key FROM usage_sums WHERE account = ${bind(account)} AND span = ${day}` +
      ` AND ${within({ start: Math.floor(window.start / day) * day, end: window.end })})`

    const groups = (column: GroupColumn) => {
      const table = column === "key" ? "usage_sums" : "operation_sums"
      const parts = pieces(window).map(
        (piece) =>
          `SELECT ${column} AS id, ${names} FROM ${table} WHERE ${whose()}` +
          (column === "key" || key !== undefined ? "" : keysUsed()) +
          ` AND span = ${piece.span} AND ${within(piece)}`
      )
      return (
        `SELECT * FROM (SELECT '${column}' AS part, id, 0 AS at, ${summed} FROM (${parts.join(" UNION ALL ")}) AS parts` +
        ` GROUP BY id ORDER BY charged DESC, requests DESC, id LIMIT ${maxGroups}) AS groups_of_${column}`
      )
    }

    const statement = [
      `SELECT 'bucket' AS part, '' AS id, start AS at, ${names} FROM ${sums}` +
        ` WHERE ${whose()} AND span = ${widths[width]} AND ${within(window)}`,
      ...pieces(before).map(
        (piece) =>
          `SELECT 'before' AS part, '' AS id, 0 AS at, ${names} FROM ${sums}` +
          ` WHERE ${whose()} AND span = ${piece.span} AND ${within(piece)}`
      ),
      groups("key"),
      groups("operation"),
      groups("model")
    ].join(" UNION ALL ")
    return { statement, values }
  }

  return Effect.fnUntraced(function* (owner: Owner, span: Span) {
    const { statement, values } = statementOf(owner, span)
    const found = yield* rows.run(statement, values)
    const buckets = new Map<number, Counts>()
    const groups: Record<GroupColumn, Array<Omit<Group, "label">>> = { key: [], operation: [], model: [] }
    let before: Counts = zeros
    for (const row of found) {
      const part = text(row, "part") as "bucket" | "before" | GroupColumn
      const counts = countsOf(row)
      if (part === "bucket") buckets.set(number(row, "at"), plus(buckets.get(number(row, "at")) ?? zeros, counts))
      else if (part === "before") before = plus(before, counts)
      else groups[part].push({ id: text(row, "id"), counts })
    }
    const labels = yield* labelsOf(
      rows,
      "keys",
      groups.key.map(({ id }) => id)
    )
    const named = (group: Omit<Group, "label">): Group => ({ ...group, label: group.id })
    const all: Found = {
      buckets,
      before,
      keys: groups.key.map((group) => ({ ...group, label: labels.get(group.id) ?? "" })),
      operations: groups.operation.map(named),
      models: groups.model.map(named)
    }
    return all
  })
}
