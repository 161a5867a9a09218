import * as CostTotals from "../ledger/CostTotals.ts"
import { counters, operationSpans, spans } from "../ledger/UsageTotals.ts"
import { text } from "../store/rows.ts"
import { type Check, compare, due } from "../ledger/Difference.ts"
import { failed } from "./checks.ts"

const zeros = (names: ReadonlyArray<string>): string => names.map((name) => `0 AS ${name}`).join(", ")

const ifSettled = (name: string): string => `SUM(CASE WHEN state = 'settled' THEN ${name} ELSE 0 END)`
const recomputed = ["COUNT(*)", `SUM(${failed})`, ...counters.slice(2).map(ifSettled)]

const both = [...counters, ...counters.map(due)]

/** Compares in both directions: a total without calls is as wrong as calls without a total. */
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
    return compare(
      table,
      counters,
      `SELECT ${owner}, span, start, ${both.map((name) => `SUM(${name}) AS ${name}`).join(", ")}` +
        ` FROM (${parts.join(" UNION ALL ")}) AS sums GROUP BY ${owner}, span, start`,
      (row) => [...owner.split(", "), "span", "start"].map((name) => text(row, name)).join(" ")
    )(rows)
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

/** Compares the totals by upstream with the calls whose cost is known, in both directions. */
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
  const parts = [stored, ...(rows.dialect.isShared ? [added] : []), ofCalls]
  const sums = [...counters, ...counters.map(due)].map((name) => `SUM(${name}) AS ${name}`).join(", ")
  return compare(
    table,
    counters,
    `SELECT ${ids}, ${sums} FROM (${parts.join(" UNION ALL ")}) AS sums GROUP BY ${ids}`,
    (row) => bucket.map((name) => text(row, name)).join(" ")
  )(rows)
}
