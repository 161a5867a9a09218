import { limitState } from "@tollgate/client/account"
import type { LimitState, RateState } from "@tollgate/contract/account/LimitState"
import { useLoad } from "@tollgate/react"
import { useProfile } from "../../session/useProfile.ts"
import { count } from "../../ui/amounts.ts"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Gauge } from "../../ui/Gauge.tsx"
import { Page } from "../../ui/Page.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { duration } from "../../ui/times.ts"

const load = limitState()

const RateGauge = ({
  label,
  now,
  rate
}: {
  readonly label: string
  readonly now: number
  readonly rate: RateState
}) => (
  <Gauge
    label={label}
    used={rate.limit - rate.remaining}
    limit={rate.limit}
    text={`${count(rate.remaining)} of ${count(rate.limit)} left`}
    note={rate.full_at > now ? `all of it in ${duration(rate.full_at - now)}` : "nothing used in the last minute"}
  />
)

const Gauges = ({ concurrency, groups, now, requests, tasks, tokens }: LimitState) => (
  <div className="gauges">
    <RateGauge label="Requests per minute" rate={requests} now={now} />
    <RateGauge label="Tokens per minute" rate={tokens} now={now} />
    <Gauge
      label="Calls at a time"
      used={concurrency.running}
      limit={concurrency.limit}
      text={`${count(concurrency.running)} of ${count(concurrency.limit)} running`}
      note="streams and long calls"
    />
    <Gauge
      label="Tasks at a time"
      used={tasks.running}
      limit={tasks.limit}
      text={`${count(tasks.running)} of ${count(tasks.limit)} running`}
      note="videos"
    />
    {groups.map((group) => (
      <RateGauge
        key={group.id}
        label={`Requests per minute, ${group.id.replaceAll("_", " ")}`}
        rate={group}
        now={now}
      />
    ))}
  </div>
)

/** The limits of the key as they stand. */
export const LimitsPage = () => {
  const { error, value } = useLoad(load, { every: "1 second" })
  const { value: profile } = useProfile()
  return (
    <Page
      title="Limits"
      lead={
        <>
          What this {profile?.credential.kind === "grant" ? "grant" : "key"} may do in a minute
          {profile === undefined ? "" : `, by the tier ${profile.account.tier}`}. The client waits by itself where a
          limit is reached. Looking here counts towards none of them.
        </>
      }
    >
      {error === undefined ? null : <ErrorNotice error={error} />}
      {value === undefined ? (
        <div className="gauges" aria-busy="true">
          <Skeleton lines={1} tall />
          <Skeleton lines={1} tall />
          <Skeleton lines={1} tall />
        </div>
      ) : (
        <Gauges {...value} />
      )}
    </Page>
  )
}
