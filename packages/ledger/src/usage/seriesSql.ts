import * as Effect from "effect/Effect"
import { type Counts, counters, plus, spans } from "../ledger/UsageTotals.ts"
import type * as Rows from "../store/rows.ts"
import { amount, number, type Row, text } from "../store/rows.ts"
import { zeros } from "./report.ts"
import { type Found, type Group, maxGroups, type Span, widths } from "./series.ts"
import type { Owner } from "./Usage.ts"
import { pieces, type Window } from "./Window.ts"

const day = spans[2]
const names = counters.join(", ")
const summed = counters.map((name) => `SUM(${name}) AS ${name}`).join(", ")

const countsOf = (row: Row) => Object.fromEntries(counters.map((name) => [name, amount(row, name)])) as Counts

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
    const within = ({ end, start }: Window) => `start >= ${bind(start)} AND start < ${bind(end)}`
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

  const labelsOf = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const found = ids.length === 0 ? [] : yield* rows.byIds("id, label", "keys", ids)
    return new Map(found.map((row) => [text(row, "id"), text(row, "label")]))
  })

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
    const labels = yield* labelsOf(groups.key.map(({ id }) => id))
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
