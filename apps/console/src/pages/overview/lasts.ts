import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import { bucketName } from "./bucketNames.ts"

const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })
const units = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60]
] as const

const years10 = 10 * 365 * 86_400

const about = (seconds: number): string => {
  if (seconds > years10) return "more than 10 years"
  const [unit, size] = units.find(([, size]) => seconds >= 2 * size) ?? units[2]
  const whole = Math.max(1, Math.floor(seconds / size))
  return `about ${number.format(whole)} ${unit}${whole === 1 ? "" : "s"}`
}

type Used = Pick<UsageSeries, "before" | "bucket_width" | "buckets" | "end_time" | "start_time" | "totals">

/** The hour or day of the first use, if there was none before the window. A rate over time without use would be too low. */
const firstUse = ({ before, buckets, start_time }: Used): number | undefined => {
  const first = before.requests > 0 ? undefined : buckets.find(({ requests }) => requests > 0)?.start_time
  return first === undefined || first <= start_time ? undefined : first
}

/** How long an amount lasts at the rate of the use, in a sentence. `undefined`: nothing was spent, or nothing is left. */
export const lasts = (left: bigint, series: Used, now: number): string | undefined => {
  const charged = BigInt(series.totals.charged_micros_usd)
  if (charged <= 0n || left <= 0n) return undefined
  const since = firstUse(series)
  const width = series.bucket_width === "1h" ? 3_600 : 86_400
  if (since !== undefined && now - since < width)
    return `The first call was in this ${width === 3_600 ? "hour" : "day"}: too little use to say how long it lasts.`
  const passed = Math.max(1, Math.floor(Math.min(series.end_time, now)) - (since ?? series.start_time))
  const rate =
    since === undefined ? "of this window" : `since the first call, on ${bucketName(since, series.bucket_width)}`
  return `Lasts ${about(Number((left * BigInt(passed)) / charged))} at the rate ${rate}.`
}
