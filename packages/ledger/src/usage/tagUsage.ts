import * as Effect from "effect/Effect"
import type { TagUsage } from "@tollgate/contract/account/TagUsage"
import type * as Rows from "../store/rows.ts"
import { isExact, totalsOf, used } from "./report.ts"
import { bucketsOf, type Span, widths } from "./series.ts"
import { pieces, type TagOwner, type TagQuery, type Window } from "./Query.ts"
import { conditions, labelsOf, times } from "./sums.ts"

const scopeOf = ({ account, key }: TagOwner): TagUsage["scope"] =>
  account === undefined ? "gateway" : key === undefined ? "account" : "key"

/** Reads totals only, never single calls. `undefined` if a number of the answer would be inexact. */
export const make = (rows: Rows.Rows) => {
  const select = (owner: TagOwner, { width, window }: Span, tag: TagQuery | undefined) => {
    const { account, key, rootKey } = owner
    const { bind, ofKey, ofUsedKeys, values, within } = conditions(rows)
    const keysOf = (account: string) =>
      key === undefined && rootKey === undefined ? ofUsedKeys(account, window) : ofKey(account, owner)
    const whose = () => (account === undefined ? "" : `account = ${bind(account)} AND ${keysOf(account)} AND `)
    const tagged = () =>
      tag === undefined
        ? ""
        : ` AND tag = ${bind(tag.name)}${tag.value === undefined ? "" : ` AND value_of_tag = ${bind(tag.value)}`}`
    const from = (piece: Window & { readonly span: number | "call" }) =>
      ` FROM tag_sums WHERE ${whose()}span = ${piece.span} AND ${within(piece)}${tagged()}`
    const group =
      tag === undefined ? "tag" : tag.value === undefined ? "value_of_tag" : account === undefined ? "account" : "key"
    const parts = pieces(window).map((piece) => `SELECT ${group} AS id, ${used.names}${from(piece)}`)
    const groups = used.selectGroups("tag", parts.join(" UNION ALL "), "requests")
    if (tag === undefined) return { text: groups, values }
    const buckets =
      ` UNION ALL SELECT 'bucket' AS part, '' AS id, start AS at, ${used.summed}` +
      `${from({ ...window, span: widths[width] })} GROUP BY start`
    return { text: groups + buckets, values }
  }

  return Effect.fnUntraced(function* (owner: TagOwner, span: Span, tag: TagQuery | undefined) {
    const { width, window } = span
    const { buckets, groupsOf } = yield* used.read(rows, select(owner, span, tag))
    const groups = groupsOf("tag")
    // A call counts for each of its tags, so all tags together have no total.
    const total = tag && used.sum(buckets.values())
    if (![total ?? used.zeros, ...groups.map(({ counts }) => counts)].every(isExact)) return undefined
    const labels =
      tag?.value === undefined
        ? undefined
        : yield* labelsOf(rows, owner.account === undefined ? "accounts" : "keys", groups)
    const usage: TagUsage = {
      scope: scopeOf(owner),
      currency: "USD",
      ...times(window),
      bucket_width: width,
      tag: tag === undefined ? null : tag.value === undefined ? tag.name : `${tag.name}=${tag.value}`,
      totals: total === undefined ? null : totalsOf(total),
      buckets: total === undefined ? [] : bucketsOf(width, window, buckets),
      groups: used.shown(groups, total, (id) => (labels === undefined ? id || "other" : (labels.get(id) ?? "")))
    }
    return usage
  })
}
