import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import type { ReactNode } from "react"
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

/** How a figure differs from the same of the window before: `+230%`. Nothing, if there is nothing to compare with. */
const Compared = ({ before, now }: { readonly now: number; readonly before: number }) => {
  if (before <= 0) return null
  // Beyond that, the window before was as good as empty.
  const change = Math.min(100, now / before - 1)
  return (
    <span title="Compared with the previous window of the same length">
      {change === 100 ? "over " : ""}
      {percent.format(change)} vs. before
    </span>
  )
}

type Counted = "requests" | "input_tokens" | "output_tokens" | "usage_value_micros_usd" | "charged_micros_usd"

/** The sums of the window, each with how it differs from the window before. */
export const Figures = ({ series: { before, totals } }: { readonly series: UsageSeries }) => {
  const figure = (
    label: string,
    name: Counted,
    write: (value: number) => string,
    exact: (value: number) => string,
    note: ReactNode = <Compared now={totals[name]} before={before[name]} />
  ): StatOf => [label, <span title={exact(totals[name])}>{write(totals[name])}</span>, note]
  const cached = totals.cache_read_tokens + totals.cache_write_tokens
  return (
    <div className={classes["figures"]}>
      <Stats
        of={[
          figure(
            "Calls",
            "requests",
            count,
            count,
            totals.requests > 0 && before.requests === 0 ? "none in the previous window" : undefined
          ),
          [
            "Failed",
            count(totals.failed_requests),
            totals.requests === 0
              ? undefined
              : `${shareOf(totals.failed_requests, totals.requests)} of calls${
                  before.requests === 0 ? "" : `, ${shareOf(before.failed_requests, before.requests)} before`
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
