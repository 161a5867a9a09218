import * as Schema from "effect/Schema"
import * as Api from "../Api.ts"
import { UsageTotals } from "../resources/UsageReport.ts"
import { Name } from "./LoggedCall.ts"
import { SeriesQuery, UsageGroup, UsageSeries, window } from "./UsageSeries.ts"
import { TextOrNull } from "./Amount.ts"

export const TagUsageQuery = Schema.Struct({
  ...SeriesQuery.fields,
  tag: Schema.optionalKey(Name).annotate({
    description: "`team`: by its values. `team=search`: only these calls, by key. Default: all tags by name."
  })
})
export interface TagUsageQuery extends Schema.Schema.Type<typeof TagUsageQuery> {}

/** What the calls with a tag used and cost. */
export const TagUsage = Schema.Struct({
  scope: Schema.Literals(["key", "account", "gateway"]),
  ...window,
  tag: TextOrNull("The tag that was asked for: a name, or `name=value`."),
  totals: Schema.NullOr(UsageTotals).annotate({
    description: "`null` without a tag: a call counts for each of its tags."
  }),
  groups: Schema.Array(UsageGroup).annotate({
    description:
      "The groups with the highest charge come first: the names of tags; with a name its values, of which those beyond 256 a day " +
      "are one group with an empty id; with a value the keys, or the accounts if the scope is the gateway."
  })
}).annotate({ identifier: "TagUsage" })
export interface TagUsage extends Schema.Schema.Type<typeof TagUsage> {}

export const usage = {
  usageSeries: Api.get("/usage", {
    summary: "What was used and charged, by hour or day, key, operation and model",
    query: SeriesQuery,
    success: UsageSeries,
    scope: "usage",
    example: { query: { start_time: "1767225600", end_time: "1767312000", width: "1h" } }
  }),
  usageByTag: Api.get("/usage/tags", {
    summary: "What the calls with a tag used and cost",
    query: TagUsageQuery,
    success: TagUsage,
    scope: "usage",
    example: { query: { start_time: "1767225600", tag: "team" } }
  })
} as const
