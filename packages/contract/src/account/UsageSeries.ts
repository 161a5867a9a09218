import * as Schema from "effect/Schema"
import { IntFromQuery } from "../QueryStyle.ts"
import { UsageBucket, UsageTotals } from "../resources/UsageReport.ts"
import { Text } from "./Amount.ts"

export const UsageGroup = Schema.Struct({
  id: Text("Empty: calls without one, or from before it was recorded."),
  label: Schema.String,
  totals: UsageTotals
}).annotate({ identifier: "UsageGroup" })
export interface UsageGroup extends Schema.Schema.Type<typeof UsageGroup> {}

export const SeriesQuery = Schema.Struct({
  start_time: IntFromQuery.annotate({ description: "Unix seconds." }),
  end_time: Schema.optionalKey(IntFromQuery.annotate({ description: "Unix seconds. Default: now." })),
  width: Schema.optionalKey(Schema.Literals(["1h", "1d"])).annotate({
    description: "By hour the window has at most 31 days, by day at most 366. Default: by hour up to two days."
  })
})
export interface SeriesQuery extends Schema.Schema.Type<typeof SeriesQuery> {}

/** The fields of a report on a window. Times are Unix seconds; hours are of whole hours, days of whole UTC days. */
export const window = {
  currency: Schema.Literal("USD"),
  start_time: Schema.Int,
  end_time: Schema.Int,
  bucket_width: Schema.Literals(["1h", "1d"]),
  buckets: Schema.Array(UsageBucket)
}

const Groups = Schema.Array(UsageGroup).annotate({ description: "The groups with the highest charge come first." })

/** What was used and charged, by hour or by day and by what. */
export const UsageSeries = Schema.Struct({
  scope: Schema.Literals(["key", "account"]),
  ...window,
  totals: UsageTotals,
  before: UsageTotals.annotate({ description: "The totals of the window of the same length before this one." }),
  by_key: Groups,
  by_operation: Groups,
  by_model: Groups
}).annotate({ identifier: "UsageSeries" })
export interface UsageSeries extends Schema.Schema.Type<typeof UsageSeries> {}
