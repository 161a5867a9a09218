import type { UsageTotals } from "../resources/UsageReport.ts"
import type { UsageGroup } from "./UsageSeries.ts"

/** The query of `GET /account/v1/usage/tags`. Times are Unix seconds. */
export interface TagUsageQuery {
  readonly start_time: number
  readonly end_time?: number
  readonly width?: "1h" | "1d"
  /** `team`: by its values. `team=search`: only these calls, by key. Default: all tags by name. */
  readonly tag?: string
}

/** What the calls with a tag used and cost: `GET /account/v1/usage/tags?start_time&end_time&width&tag`. */
export interface TagUsage {
  readonly scope: "key" | "account" | "gateway"
  readonly currency: "USD"
  readonly start_time: number
  readonly end_time: number
  readonly bucket_width: "1h" | "1d"
  /** The tag that was asked for: a name, or `name=value`. */
  readonly tag: string | null
  /** `null` without a tag: a call counts for each of its tags. */
  readonly totals: UsageTotals | null
  /** Empty without a tag. */
  readonly buckets: ReadonlyArray<UsageTotals & { readonly start_time: number; readonly end_time: number }>
  /**
   * The groups with the highest charge come first: the names of tags; with a name its values, of which those beyond 256 a day
   * are one group with an empty id; with a value the keys, or the accounts if the scope is the gateway.
   */
  readonly groups: ReadonlyArray<UsageGroup>
}
