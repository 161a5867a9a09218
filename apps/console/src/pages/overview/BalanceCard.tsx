import type { Profile } from "@tollgate/contract/account/Profile"
import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import { useProfile } from "../../session/useProfile.ts"
import { leftUsd, microsOf, shortUsd, usd } from "../../ui/amounts.ts"
import { Card } from "../../ui/Card.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Meter } from "../../ui/Meter.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { fullTime } from "../../ui/times.ts"
import { ratioOf } from "./change.ts"
import { lasts } from "./lasts.ts"
import classes from "./overview.module.css"

interface SpentProps {
  readonly label: string
  readonly spent: bigint
  readonly limit: bigint
  readonly note?: string
}

const Spent = ({ label, limit, note, spent }: SpentProps) => {
  const ratio = limit <= 0n ? 1 : ratioOf(spent, limit)
  return (
    <div className={classes["spent"]}>
      <p>
        <span>{label}</span>
        <span className="number" title={`${usd(spent)} of ${usd(limit)}`}>
          {shortUsd(spent)} of {shortUsd(limit)}
        </span>
      </p>
      <Meter label={`${label} spent`} ratio={ratio} tone={ratio >= 1 ? "bad" : ratio >= 0.8 ? "warn" : "accent"} />
      {note === undefined ? null : <p className="soft small">{note}</p>}
    </div>
  )
}

const Amounts = ({ profile: { account, credential } }: { readonly profile: Profile }) => {
  const reserved = microsOf(account.reserved_micros_usd ?? credential.reserved_micros_usd)
  return (
    <dl className={classes["amounts"]}>
      {account.balance_micros_usd === null ? null : (
        <div>
          <dt>Balance of the account</dt>
          <dd title={usd(account.balance_micros_usd)}>{leftUsd(account.balance_micros_usd)}</dd>
        </div>
      )}
      <div>
        <dt>Reserved for calls</dt>
        <dd>{usd(reserved)}</dd>
      </div>
    </dl>
  )
}

const Content = ({ profile, series }: { readonly profile: Profile; readonly series: UsageSeries | undefined }) => {
  const { budget_micros_usd: budget, quota, spent_micros_usd: spent } = profile.credential
  const left = microsOf(profile.spendable_micros_usd)
  const time =
    series === undefined
      ? undefined
      : lasts(
          left,
          BigInt(series.totals.charged_micros_usd),
          { start: series.start_time, end: series.end_time },
          Date.now() / 1000
        )
  return (
    <>
      <p className={classes["spendable"]} title={usd(left)}>
        {leftUsd(left)}
      </p>
      <p className="soft small">
        {left <= 0n
          ? "Nothing can be spent: calls that cost something are refused."
          : time === undefined
            ? "Nothing was charged in this window, so there is no rate to say how long it lasts."
            : `Lasts ${time} at the rate of this window.`}
      </p>
      <Amounts profile={profile} />
      {budget === null ? null : <Spent label="Budget" spent={microsOf(spent)} limit={microsOf(budget)} />}
      {quota === null ? null : (
        <Spent
          label={`Quota for a ${quota.period}`}
          spent={microsOf(quota.spent_micros_usd)}
          limit={microsOf(quota.amount_micros_usd)}
          note={`Starts again ${fullTime(quota.ends_at)}.`}
        />
      )}
    </>
  )
}

/** What can be spent, what limits it, and how long it lasts. */
export const BalanceCard = ({ series }: { readonly series: UsageSeries | undefined }) => {
  const { error, value } = useProfile()
  return (
    <Card title="Can be spent">
      {value !== undefined ? (
        <Content profile={value} series={series} />
      ) : error === undefined ? (
        <Skeleton lines={6} />
      ) : (
        <ErrorNotice error={error} />
      )}
    </Card>
  )
}
