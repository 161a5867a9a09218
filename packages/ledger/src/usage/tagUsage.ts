import type { TagUsage } from "@tollgate/contract/account/TagUsage"
import type { Counts } from "../ledger/UsageTotals.ts"
import { isExact, times, totalsOf } from "./report.ts"
import { bucketsOf, type Group, groupOf, maxGroups, type Span, sumOf, withRest } from "./series.ts"
import type { TagQuery } from "./tagQuery.ts"
import type { TagOwner } from "./Usage.ts"

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
