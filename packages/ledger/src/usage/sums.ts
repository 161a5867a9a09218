import * as Effect from "effect/Effect"
import { amount, number, type Row, type Rows, text, type Value } from "../store/rows.ts"
import type { Statement } from "../store/statements.ts"
import { spans } from "../ledger/UsageTotals.ts"
import { type Owner, wholeDays, type Window } from "./Query.ts"

/** The most groups of a kind. The rest is one group more. */
export const maxGroups = 200

const day = spans[2]

/** The labels of keys or accounts, by their ids. */
export const labelsOf = Effect.fnUntraced(function* (
  rows: Rows,
  table: "keys" | "accounts",
  of: Iterable<string | { readonly id: string }>
) {
  const ids = Array.from(of, (one) => (typeof one === "string" ? one : one.id))
  const found = ids.length === 0 ? [] : yield* rows.byIds("id, label", table, ids)
  return new Map(found.map((row) => [text(row, "id"), text(row, "label")]))
})

export const times = ({ end, start }: Window) => ({ start_time: start / 1000, end_time: end / 1000 })

export const conditions = ({ mark }: Rows) => {
  const values: Array<Value> = []
  const bind = (value: Value) => mark(values.push(value))
  const within = ({ end, start }: Window, table = "") =>
    `${table}start >= ${bind(start)} AND ${table}start < ${bind(end)}`
  return {
    values,
    bind,
    within,
    ofKey: (account: string, { key = "", rootKey }: Pick<Owner, "key" | "rootKey">) =>
      rootKey === undefined
        ? `key = ${bind(key)}`
        : `key IN (SELECT id FROM keys WHERE account = ${bind(account)} AND COALESCE(root_key, id) = ${bind(rootKey)})`,
    /** Totals by operation or tag are found by key, so the keys that were used come first. */
    ofUsedKeys: (account: string, { end, start }: Window) =>
      `key IN (SELECT DISTINCT key FROM usage_sums WHERE account = ${bind(account)} AND span = ${day}` +
      ` AND ${within({ start: wholeDays({ start, end }).start, end })})`
  }
}

/** Counts of several calls. */
export type Sums<Name extends string> = Readonly<Record<Name, bigint>>

export interface Group<S> {
  readonly id: string
  readonly counts: S
}

const difference = (one: bigint, other: bigint): bigint => one - other

/** What reports of calls, summed up under these names, have in common. A report shows what `totalsOf` makes of sums. */
export const sumsOf = <const Name extends string, Totals>(
  names: ReadonlyArray<Name>,
  totalsOf: (sums: Sums<Name>) => Totals
) => {
  type S = Sums<Name>
  const each = (count: (name: Name) => bigint) => Object.fromEntries(names.map((name) => [name, count(name)])) as S
  const zeros = each(() => 0n)
  const plus = (one: S, other: S) => each((name) => one[name] + other[name])
  const minus = (one: S, other: S) => each((name) => difference(one[name], other[name]))
  const sum = (all: Iterable<S>) => [...all].reduce(plus, zeros)
  const countsOf = (row: Row) => each((name) => amount(row, name))
  const summed = names.map((name) => `SUM(${name}) AS ${name}`).join(", ")

  return {
    names: names.join(", "),
    summed,
    zeros,
    sum,
    countsOf,

    /** A part of a statement for `read`: the groups with the highest charge, by the `id` of the rows in `from`. */
    selectGroups: (part: string, from: string, second: Name) =>
      `SELECT * FROM (SELECT '${part}' AS part, id, 0 AS at, ${summed} FROM (${from}) AS parts` +
      ` GROUP BY id ORDER BY charged DESC, ${second} DESC, id LIMIT ${maxGroups}) AS groups_of_${part}`,

    /** One statement, so that all parts read the same snapshot: the part `bucket` by its start, the others by id. */
    read: (rows: Rows, { text: statement, values }: Statement) =>
      Effect.map(rows.run(statement, values), (found) => {
        const buckets = new Map<number, S>()
        const groups: Record<string, Array<Group<S>>> = {}
        for (const row of found) {
          const part = text(row, "part")
          const at = number(row, "at")
          if (part === "bucket") buckets.set(at, plus(buckets.get(at) ?? zeros, countsOf(row)))
          else (groups[part] ??= []).push({ id: text(row, "id"), counts: countsOf(row) })
        }
        return { buckets, groupsOf: (part: string): ReadonlyArray<Group<S>> => groups[part] ?? [] }
      }),

    /** The groups as they are shown, and one for what they leave out of the total, if there is one. */
    shown: (groups: ReadonlyArray<Group<S>>, total: S | undefined, labelOf = (id: string) => id) => {
      const shown = groups.map(({ counts, id }) => ({ id, label: labelOf(id), totals: totalsOf(counts) }))
      if (total === undefined || groups.length < maxGroups) return shown
      const rest = minus(total, sum(groups.map(({ counts }) => counts)))
      return names.every((name) => rest[name] === 0n)
        ? shown
        : [...shown, { id: "other", label: "other", totals: totalsOf(rest) }]
    }
  }
}
