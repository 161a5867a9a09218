import * as Effect from "effect/Effect"
import type { TagUsage } from "@tollgate/contract/account/TagUsage"
import type * as Rows from "../store/rows.ts"
import { number, text } from "../store/rows.ts"
import { type Counts, spans } from "../ledger/UsageTotals.ts"
import { countsOf, isExact, labelsOf, names, summed, times, totalsOf } from "./report.ts"
import { bucketsOf, type Group, groupOf, maxGroups, type Span, sumOf, widths, withRest } from "./series.ts"
import { pieces, type TagOwner, type TagQuery, type Window } from "./Query.ts"

/** What the store knows of the tags of a span. */
export interface FoundTags {
  /** By the start of the bucket. Empty without a tag. */
  readonly buckets: ReadonlyMap<number, Counts>
  /** The first `maxGroups`. */
  readonly groups: ReadonlyArray<Group>
}

const scopeOf = ({ account, key }: TagOwner): TagUsage["scope"] =>
  account === undefined ? "gateway" : key === undefined ? "account" : "key"

/** `undefined` if a number of the answer would be inexact. */
export const tagUsage = (
  owner: TagOwner,
  { width, window }: Span,
  tag: TagQuery | undefined,
  { buckets, groups }: FoundTags
): TagUsage | undefined => {
  const total = sumOf([...buckets.values()])
  if (!isExact(total) || !groups.every(({ counts }) => isExact(counts))) return undefined
  const common = { scope: scopeOf(owner), currency: "USD", ...times(window), bucket_width: width } as const
  if (tag === undefined) {
    return { ...common, tag: null, totals: null, buckets: [], groups: groups.slice(0, maxGroups).map(groupOf) }
  }
  return {
    ...common,
    tag: tag.value === undefined ? tag.name : `${tag.name}=${tag.value}`,
    totals: totalsOf(total),
    buckets: bucketsOf(width, window, buckets),
    groups: withRest(groups, total)
  }
}

const day = spans[2]

/** Reads totals only, never single calls. */
export const make = (rows: Rows.Rows) => {
  const statementOf = (owner: TagOwner, { width, window }: Span, tag: TagQuery | undefined) => {
    const { account, key, rootKey } = owner
    const values: Array<Rows.Value> = []
    const bind = (value: Rows.Value) => rows.mark(values.push(value))
    const within = ({ end, start }: Window) => `start >= ${bind(start)} AND start < ${bind(end)}`
    const days = { start: Math.floor(window.start / day) * day, end: window.end }
    // The totals are found by key, so the keys come first.
    const keys = (account: string) =>
      rootKey !== undefined
        ? `IN (SELECT id FROM keys WHERE account = ${bind(account)} AND COALESCE(root_key, id) = ${bind(rootKey)})`
        : key !== undefined
          ? `= ${bind(key)}`
          : `IN (SELECT DISTINCT key FROM usage_sums WHERE account = ${bind(account)} AND span = ${day} AND ${within(days)})`
    const whose = () => (account === undefined ? "" : `account = ${bind(account)} AND key ${keys(account)} AND `)
    const tagged = () =>
      tag === undefined
        ? ""
        : ` AND tag = ${bind(tag.name)}${tag.value === undefined ? "" : ` AND value_of_tag = ${bind(tag.value)}`}`
    const from = (piece: Window & { readonly span: number | "call" }) =>
      ` FROM tag_sums WHERE ${whose()}span = ${piece.span} AND ${within(piece)}${tagged()}`
    const group =
      tag === undefined ? "tag" : tag.value === undefined ? "value_of_tag" : account === undefined ? "account" : "key"
    const parts = pieces(window).map((piece) => `SELECT ${group} AS id, ${names}${from(piece)}`)
    const groups =
      `SELECT * FROM (SELECT 'group' AS part, id, 0 AS at, ${summed} FROM (${parts.join(" UNION ALL ")}) AS parts` +
      ` GROUP BY id ORDER BY charged DESC, requests DESC, id LIMIT ${maxGroups}) AS groups_of_tag`
    if (tag === undefined) return { statement: groups, values }
    const buckets =
      ` UNION ALL SELECT 'bucket' AS part, '' AS id, start AS at, ${summed}` +
      `${from({ ...window, span: widths[width] })} GROUP BY start`
    return { statement: groups + buckets, values }
  }

  return Effect.fnUntraced(function* (owner: TagOwner, span: Span, tag: TagQuery | undefined) {
    const { statement, values } = statementOf(owner, span, tag)
    const buckets = new Map<number, Counts>()
    const groups: Array<Omit<Group, "label">> = []
    for (const row of yield* rows.run(statement, values)) {
      if (text(row, "part") === "bucket") buckets.set(number(row, "at"), countsOf(row))
      else groups.push({ id: text(row, "id"), counts: countsOf(row) })
    }
    const labels =
      tag?.value === undefined
        ? undefined
        : yield* labelsOf(
            rows,
            owner.account === undefined ? "accounts" : "keys",
            groups.map(({ id }) => id)
          )
    const found: FoundTags = {
      buckets,
      groups: groups.map((group) => ({
        ...group,
        label: labels === undefined ? group.id || "other" : (labels.get(group.id) ?? "")
      }))
    }
    return found
  })
}
