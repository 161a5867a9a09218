import type { Amount } from "@tollgate/contract/account/Amount"
import type { AccountBalance } from "@tollgate/contract/account/Billing"
import type { Profile } from "@tollgate/contract/account/Profile"
import type { UsageSeries } from "@tollgate/contract/account/UsageSeries"
import { Link } from "@tanstack/react-router"
import type { UseLoad } from "@tollgate/react/effect"
import { useProfile } from "../../session/useProfile.ts"
import { counted, leftUsd, microsOf, shortUsd, usd } from "../../ui/amounts.ts"
import { Card, Facts, Loaded, Skeleton } from "../../ui/kit.tsx"
import { Meter } from "../../ui/Meter.tsx"
import { fullTime } from "../../ui/times.ts"
import { forecast } from "../billing/parts.tsx"
import { bucketName } from "./window.ts"
import classes from "./overview.module.css"

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
  return `about ${counted(whole, unit)}`
}

type Used = Pick<UsageSeries, "before" | "bucket_width" | "buckets" | "end_time" | "start_time" | "totals">

/** The hour or day of the first use, if there was none before the window. A rate over time without use would be too low. */
const firstUse = ({ before, buckets, start_time }: Used): number | undefined => {
  const first = before.requests > 0 ? undefined : buckets.find(({ requests }) => requests > 0)?.start_time
  return first === undefined || first <= start_time ? undefined : first
}

/** How long an amount lasts at the rate of the use, in a sentence. `undefined`: nothing was spent, or nothing is left. */
const lasts = (left: bigint, series: Used, now: number): string | undefined => {
  const charged = BigInt(series.totals.charged_micros_usd)
  if (charged <= 0n || left <= 0n) return undefined
  const since = firstUse(series)
  const width = series.bucket_width === "1h" ? 3_600 : 86_400
  if (since !== undefined && now - since < width)
    return `The first call was in this ${width === 3_600 ? "hour" : "day"}, so no estimate yet.`
  const passed = Math.max(1, Math.floor(Math.min(series.end_time, now)) - (since ?? series.start_time))
  const rate =
    since === undefined ? "of this window" : `since the first call, on ${bucketName(since, series.bucket_width)}`
  return `Lasts ${about(Number((left * BigInt(passed)) / charged))} at the rate ${rate}.`
}

interface SpentProps {
  readonly label: string
  readonly spent: bigint
  readonly limit: bigint
  readonly note?: string
}

const Spent = ({ limit, spent, ...words }: SpentProps) => (
  <Meter
    {...words}
    used={Number(spent)}
    limit={Number(limit)}
    words={`${shortUsd(spent)} of ${shortUsd(limit)}`}
    title={`${usd(spent)} of ${usd(limit)}`}
  />
)

/** What the credential may spend itself, which is not the balance. */
const OwnBudgets = ({ credential: { budget_micros_usd: budget, kind, quotas, spent_micros_usd: spent } }: Profile) => {
  const name = kind === "grant" ? "This console’s budget" : "Budget"
  return (
    <div className={classes["budgets"]}>
      {budget === null ? null : <Spent label={name} spent={microsOf(spent)} limit={microsOf(budget)} />}
      {quotas.map((quota) => (
        <Spent
          key={quota.period}
          label={`${name} for the ${quota.period}`}
          spent={microsOf(quota.spent_micros_usd)}
          limit={microsOf(quota.amount_micros_usd)}
          note={`Resets ${fullTime(quota.ends_at)}.`}
        />
      ))}
    </div>
  )
}

const Figure = ({ amount }: { readonly amount: Amount | bigint }) => (
  <p className={classes["spendable"]} title={usd(amount)} data-long={leftUsd(amount).length > 11}>
    {leftUsd(amount)}
  </p>
)

const OfAccount = ({ balance, profile }: { readonly balance: AccountBalance; readonly profile: Profile }) => (
  <>
    <Figure amount={balance.balance_micros_usd} />
    <p className="soft small">{forecast(balance)}</p>
    <Facts
      areFigures
      of={[
        ["Available", <span title={usd(balance.available_micros_usd)}>{leftUsd(balance.available_micros_usd)}</span>],
        ["Reserved for calls under way", usd(balance.reserved_micros_usd)]
      ]}
    />
    <OwnBudgets {...profile} />
  </>
)

interface OfKeyProps {
  readonly profile: Profile
  readonly series: UsageSeries | undefined
}

/** Of a credential that does not see the account's balance. */
const OfKey = ({ profile, series }: OfKeyProps) => {
  const left = microsOf(profile.spendable_micros_usd)
  const words = series === undefined ? undefined : lasts(left, series, Date.now() / 1000)
  return (
    <>
      <Figure amount={left} />
      <p className="soft small">
        {left <= 0n
          ? microsOf(profile.credential.reserved_micros_usd) > 0n
            ? "The rest is reserved for calls under way. New calls wait until one ends."
            : "The balance is used up. Paid calls are refused."
          : (words ?? "No spending in this window, so no estimate.")}
      </p>
      <Facts areFigures of={[["Reserved for calls under way", usd(profile.credential.reserved_micros_usd)]]} />
      <OwnBudgets {...profile} />
    </>
  )
}

interface BalanceCardProps {
  readonly series: UsageSeries | undefined
  readonly balance: UseLoad<AccountBalance | undefined, unknown>
}

export const BalanceCard = ({ balance, series }: BalanceCardProps) => {
  const profile = useProfile()
  const sees = profile.value !== undefined && profile.value.account.balance_micros_usd !== null
  const loading = <Skeleton lines={6} />
  return (
    <Card title={sees ? "Balance" : "Available"} action={sees ? <Link to="/billing">Billing</Link> : null}>
      <Loaded of={profile} loading={loading}>
        {(profile) =>
          sees ? (
            <Loaded of={balance} loading={loading}>
              {(found) => (found === undefined ? loading : <OfAccount balance={found} profile={profile} />)}
            </Loaded>
          ) : (
            <OfKey profile={profile} series={series} />
          )
        }
      </Loaded>
    </Card>
  )
}
