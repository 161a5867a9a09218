import * as Schema from "effect/Schema"
import { MicroUsd } from "../Money.ts"
import { Open } from "../Open.ts"

const Count = Schema.Int.annotate({ format: "int64" })
const UnixSeconds = Schema.Int.annotate({ format: "int64", title: "Unix seconds" })

const counters = {
  requests: Count,
  failed_requests: Count,
  input_tokens: Count,
  output_tokens: Count,
  cache_read_tokens: Count,
  cache_write_tokens: Count,
  usage_value_micros_usd: MicroUsd,
  charged_micros_usd: MicroUsd
}

export const UsageTotals = Open(counters)
export interface UsageTotals extends Schema.Schema.Type<typeof UsageTotals> {}

export const UsageBucket = Open({ start_time: UnixSeconds, end_time: UnixSeconds, ...counters })
export interface UsageBucket extends Schema.Schema.Type<typeof UsageBucket> {}

export const UsageReport = Open({
  scope: Schema.String,
  currency: Schema.String,
  start_time: UnixSeconds,
  end_time: UnixSeconds,
  bucket_width: Schema.String,
  totals: UsageTotals,
  buckets: Schema.Array(UsageBucket)
}).annotate({ identifier: "UsageReport" })
export interface UsageReport extends Schema.Schema.Type<typeof UsageReport> {
  readonly totals: UsageTotals
  readonly buckets: ReadonlyArray<UsageBucket>
}
