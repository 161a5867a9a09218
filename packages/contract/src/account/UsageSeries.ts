import type { UsageTotals } from "../resources/UsageReport.ts"

/** The totals of one key, operation or model. */
export interface UsageGroup {
  /** Empty: calls without one, or from before it was recorded. */
  readonly id: string
  readonly label: string
  readonly totals: UsageTotals
}

/**
 * What was used and charged, by hour or by day and by what: `GET /account/v1/usage?start_time&end_time&width`. Times are Unix
 * seconds; hours are of whole hours, days of whole UTC days.
 */
export interface UsageSeries {
  readonly scope: "key" | "account"
  readonly currency: "USD"
  readonly start_time: number
  readonly end_time: number
  readonly bucket_width: "1h" | "1d"
  readonly totals: UsageTotals
  /** The totals of the window of the same length before this one. */
  readonly before: UsageTotals
  readonly buckets: ReadonlyArray<UsageTotals & { readonly start_time: number; readonly end_time: number }>
  /** The groups with the highest charge come first. */
  readonly by_key: ReadonlyArray<UsageGroup>
  readonly by_operation: ReadonlyArray<UsageGroup>
  readonly by_model: ReadonlyArray<UsageGroup>
}
