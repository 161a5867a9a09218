import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import type { UsageTotals } from "@tollgate/contract/resources/UsageReport"
import { count, shortCount, shortUsd, usd } from "../../ui/amounts.ts"
import { Stat, Stats } from "../../ui/kit.tsx"
import { changeOf, shareOf } from "./change.ts"
import classes from "./overview.module.css"

const arrows = { up: "↑", down: "↓", same: "=" } as const

const Compared = ({ before, now }: { readonly now: number; readonly before: number }) => {
  const change = changeOf(now, before)
  if (change === undefined) return null
  return (
    <span title="Compared with the previous window of the same length">
      <span aria-hidden="true">{arrows[change.direction]}</span> {change.words}
    </span>
  )
}

const cachedNote = ({ cache_read_tokens, cache_write_tokens }: UsageTotals): string | undefined =>
  cache_read_tokens + cache_write_tokens === 0
    ? undefined
    : `${shortCount(cache_read_tokens + cache_write_tokens)} cached`

/** The sums of the window, each with how it differs from the window before. */
export const Figures = ({ series: { before, totals } }: { readonly series: UsageSeries }) => (
  <div className={classes["figures"]}>
    <Stats>
      <Stat
        label="Calls"
        value={count(totals.requests)}
        note={
          totals.requests > 0 && before.requests === 0 ? (
            "none in the previous window"
          ) : (
            <Compared now={totals.requests} before={before.requests} />
          )
        }
      />
      <Stat
        label="Failed"
        value={count(totals.failed_requests)}
        note={
          totals.requests === 0 ? undefined : (
            <>
              {shareOf(totals.failed_requests, totals.requests)} of calls
              {before.requests === 0 ? null : `, ${shareOf(before.failed_requests, before.requests)} before`}
            </>
          )
        }
      />
      <Stat
        label="Tokens in"
        value={<span title={count(totals.input_tokens)}>{shortCount(totals.input_tokens)}</span>}
        note={cachedNote(totals) ?? <Compared now={totals.input_tokens} before={before.input_tokens} />}
      />
      <Stat
        label="Tokens out"
        value={<span title={count(totals.output_tokens)}>{shortCount(totals.output_tokens)}</span>}
        note={<Compared now={totals.output_tokens} before={before.output_tokens} />}
      />
      <Stat
        label="List price"
        value={
          <span title={`${usd(totals.usage_value_micros_usd)} at list price`}>
            {shortUsd(totals.usage_value_micros_usd)}
          </span>
        }
        note={<Compared now={totals.usage_value_micros_usd} before={before.usage_value_micros_usd} />}
      />
      <Stat
        label="Charged"
        value={<span title={usd(totals.charged_micros_usd)}>{shortUsd(totals.charged_micros_usd)}</span>}
        note={<Compared now={totals.charged_micros_usd} before={before.charged_micros_usd} />}
      />
    </Stats>
  </div>
)
