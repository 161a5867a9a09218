import * as CostTotals from "../ledger/CostTotals.ts"
import { counters, operationSpans, spans } from "../ledger/UsageTotals.ts"
import { text } from "../store/rows.ts"
import { type Check, compare, due } from "../ledger/Difference.ts"
import { failed } from "./checks.ts"

const zeros = (names: ReadonlyArray<string>): string => names.map((name) => `0 AS ${name}`).join(", ")

const ifSettled = (name: string): string => `SUM(CASE WHEN state = 'settled' THEN ${name} ELSE 0 END)`
const recomputed = ["COUNT(*)", `SUM(${failed})`, ...counters.slice(2).map(ifSettled)]

/** Compares totals in both directions: one without calls is as wrong as calls without one. `parts` have what is stored and what is due. */
const compareSums = (
  table: string,
  ids: ReadonlyArray<string>,
  counters: ReadonlyArray<string>,
  parts: ReadonlyArray<string>
): Check => {
  const sums = [...counters, ...counters.map(due)].map((name) => `SUM(${name}) AS ${name}`)
  return compare(
    table,
    counters,
    `SELECT ${[...ids, ...sums].join(", ")} FROM (${parts.join(" UNION ALL ")}) AS sums GROUP BY ${ids.join(", ")}`,
    (row) => ids.map((name) => text(row, name)).join(" ")
  )
}

const totalsIn = (
  table: string,
  owner: string,
  spans: ReadonlyArray<number>,
  /** The columns of `owner` as they follow from a call. */
  fromCalls = owner.split(", "),
  /** Where the calls are, and in a shared store the deltas that are not in the totals yet. */
  { calls = "calls", deltas = "usage_deltas" } = {}
): Check => {
  const ofCalls = owner.split(", ").map((name, i) => `${fromCalls[i]} AS ${name}`)
  const stored = `SELECT ${owner}, span, start, ${counters.join(", ")}, ${zeros(counters.map(due))} FROM ${table}`
  const ended = (span: number): string =>
    `SELECT ${ofCalls.join(", ")}, ${span} AS span, ended_at / ${span} * ${span} AS start, ${zeros(counters)}, ` +
    `${counters.map((name, i) => `${recomputed[i]} AS ${due(name)}`).join(", ")}` +
    ` FROM ${calls} WHERE ended_at IS NOT NULL AND state <> 'refused' GROUP BY ${fromCalls.join(", ")}, ended_at / ${span}`
  const added = (span: number): string =>
    `SELECT ${owner}, ${span} AS span, at / ${span} * ${span} AS start, ${counters.join(", ")}, ` +
    `${zeros(counters.map(due))} FROM ${deltas}`
  return (rows) => {
    const parts = [stored, ...(rows.dialect.isShared ? spans.map(added) : []), ...spans.map(ended)]
    return compareSums(table, [...owner.split(", "), "span", "start"], counters, parts)(rows)
  }
}

export const keyTotals = totalsIn("usage_sums", "account, key", spans)
export const accountTotals = totalsIn("account_sums", "account", spans)
export const operationTotals = totalsIn("operation_sums", "account, key, operation, model", operationSpans, [
  "account",
  "key",
  "operation",
  "COALESCE(model, '')"
])
export const tagTotals: Check = (rows) =>
  totalsIn("tag_sums", "account, key, tag, value_of_tag", operationSpans, undefined, {
    calls: rows.dialect.byCountedTag("calls"),
    deltas: rows.dialect.byCountedTag("usage_deltas")
  })(rows)

/** The totals by upstream, of the calls whose cost is known. */
export const costTotals: Check = (rows) => {
  const { bucket, counters, day, table } = CostTotals
  const ids = bucket.join(", ")
  const start = (at: string) => `${at} / ${day} * ${day} AS start`
  const stored = `SELECT ${ids}, ${counters.join(", ")}, ${zeros(counters.map(due))} FROM ${table}`
  const added =
    `SELECT ${start("at")}, account, operation, model, upstream, 1 AS requests, charged, cost_nano,` +
    ` ${zeros(counters.map(due))} FROM usage_deltas WHERE cost_nano IS NOT NULL`
  const ofCalls =
    `SELECT ${start("ended_at")}, account, operation, COALESCE(model, '') AS model, COALESCE(upstream, '') AS upstream,` +
    ` ${zeros(counters)}, 1 AS ${due("requests")}, charged AS ${due("charged")}, cost_nano AS ${due("cost_nano")}` +
    " FROM calls WHERE cost_nano IS NOT NULL"
  return compareSums(table, bucket, counters, [stored, ...(rows.dialect.isShared ? [added] : []), ofCalls])(rows)
}
