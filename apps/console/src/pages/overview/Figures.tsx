import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import { count, shortCount, shortUsd, usd } from "../../ui/amounts.ts"
import { type StatOf, Stats } from "../../ui/kit.tsx"
import classes from "./overview.module.css"

const share = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 })

/** Between 0 and 1. A whole of nothing has no parts. */
export const ratioOf = (part: number | bigint, whole: number | bigint): number => {
  const [one, all] = [BigInt(part), BigInt(whole)]
  return all <= 0n ? 0 : Math.min(1, Math.max(0, Number((one * 10_000n) / all) / 10_000))
}

/** A part of a whole: `12.5%`. */
export const shareOf = (part: number | bigint, whole: number | bigint): string => share.format(ratioOf(part, whole))

const percent = new Intl.NumberFormat(undefined, {
  style: "percent",
  maximumFractionDigits: 0,
  signDisplay: "exceptZero"
})

/** How a figure differs from the same of the window before. Nothing, if there is nothing to compare with. */
const compared = (now: number, before: number, previous: string): string | undefined => {
  if (before <= 0) return undefined
  // Beyond that, the window before was as good as empty.
  const change = Math.min(100, now / before - 1)
  return `${change === 100 ? "over " : ""}${percent.format(change).replace("-", "−")} vs ${previous}`
}

type Counted = "requests" | "input_tokens" | "output_tokens" | "usage_value_micros_usd" | "charged_micros_usd"

/** The sums of the window, each with how it differs from the window before. */
export const Figures = ({ series }: { readonly series: UsageSeries }) => {
  const { before, end_time, start_time, totals } = series
  const days = Math.round((end_time - start_time) / 86_400)
  const previous = days <= 1 ? "the day before" : `previous ${days} days`
  const figure = (
    label: string,
    name: Counted,
    write: (value: number) => string,
    exact: (value: number) => string,
    note = compared(totals[name], before[name], previous)
  ): StatOf => [label, <span title={exact(totals[name])}>{write(totals[name])}</span>, note]
  const cached = totals.cache_read_tokens + totals.cache_write_tokens
  return (
    <div className={classes["figures"]}>
      <Stats
        of={[
          figure("Calls", "requests", count, count),
          [
            "Failed",
            count(totals.failed_requests),
            totals.requests === 0
              ? undefined
              : `${shareOf(totals.failed_requests, totals.requests)} of calls${
                  before.requests === 0 ? "" : `, was ${shareOf(before.failed_requests, before.requests)}`
                }`
          ],
          figure(
            "Tokens in",
            "input_tokens",
            shortCount,
            count,
            cached > 0 ? `${shortCount(cached)} cached` : undefined
          ),
          figure("Tokens out", "output_tokens", shortCount, count),
          figure("List price", "usage_value_micros_usd", shortUsd, usd),
          figure("Charged", "charged_micros_usd", shortUsd, usd)
        ]}
      />
    </div>
  )
}
