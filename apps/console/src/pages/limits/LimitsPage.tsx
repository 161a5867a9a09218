import { limitState } from "@tollgate/client/account"
import type { LimitState, RateState } from "@tollgate/contract/account/LimitState"
import { useLoad } from "@tollgate/react"
import { useProfile } from "../../session/useProfile.ts"
import { ErrorNotice, Page, Skeleton } from "../../ui/kit.tsx"
import { Gauge } from "../../ui/Gauge.tsx"
import { count } from "../../ui/amounts.ts"
import { OperationLimits } from "./OperationLimits.tsx"
import { MoveUp, Tiers } from "./Tiers.tsx"
import styles from "./limits.module.css"

const names: Readonly<Record<string, string>> = {
  inference: "Conversations",
  generate_content: "Generate content",
  deep_research: "Deep research",
  image: "Images",
  video: "Videos"
}

/** The operations of a limit group, in words. */
const groupName = (id: string): string => names[id] ?? id.replaceAll("_", " ")

interface RateProps {
  readonly label: string
  readonly now: number
  readonly rate: RateState
}

/** Whole seconds: tenths would flicker. */
const seconds = (millis: number): string => `${Math.ceil(millis / 1_000)} s`

const rateNote = ({ now, rate: { full_at, remaining } }: RateProps): string => {
  if (full_at <= now) return "nothing used lately"
  const left = `all of it in ${seconds(full_at - now)}`
  return remaining <= 0 ? `reached, ${left}` : left
}

const RateGauge = (props: RateProps) => {
  const { limit, remaining } = props.rate
  const left = Math.max(0, remaining)
  return (
    <Gauge
      label={props.label}
      used={limit - left}
      limit={limit}
      value={count(left)}
      of={`of ${count(limit)} left`}
      note={rateNote(props)}
    />
  )
}

interface SlotsProps {
  readonly label: string
  readonly slots: { readonly limit: number; readonly running: number }
  /** What takes them. */
  readonly what: string
}

const SlotsGauge = ({ label, slots: { limit, running }, what }: SlotsProps) => (
  <Gauge
    label={label}
    used={running}
    limit={limit}
    value={count(running)}
    of={`of ${count(limit)} running`}
    note={running >= limit ? "reached, until one of them ends" : what}
  />
)

/** All limits of a key, those of single operations last. */
const Gauges = ({ concurrency, groups, now, requests, tasks, tokens }: LimitState) => (
  <>
    <div className={styles["gauges"]}>
      <RateGauge label="Requests per minute" rate={requests} now={now} />
      <RateGauge label="Tokens per minute" rate={tokens} now={now} />
      <SlotsGauge label="Calls at once" slots={concurrency} what="streams and long calls" />
      {tasks.limit === 0 ? null : <SlotsGauge label="Tasks at once" slots={tasks} what="videos" />}
    </div>
    {groups.length === 0 ? null : (
      <section aria-labelledby="own-limits">
        <h2 className={styles["own"]} id="own-limits">
          Requests per minute of single operations
        </h2>
        <div className={styles["gauges"]}>
          {groups.map((group) => (
            <RateGauge key={group.id} label={groupName(group.id)} rate={group} now={now} />
          ))}
        </div>
      </section>
    )}
  </>
)

const load = limitState()

const Loading = () => (
  <div className={styles["gauges"]} role="status" aria-label="Loading">
    {[1, 2, 3, 4].map((each) => (
      <div key={each} className={styles["loading"]}>
        <Skeleton lines={1} tall />
      </div>
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
          What this {profile?.credential.kind === "grant" ? "app" : "key"} may do in a minute
          {profile === undefined ? "" : ` on the tier ${profile.account.tier}`}. At a limit the client waits by itself.
          Opening this page counts towards none.
        </>
      }
    >
      {error === undefined ? null : (
        <ErrorNotice error={error}>
          <p>{value === undefined ? "" : "The limits below are the last that arrived. "}It asks again each second.</p>
        </ErrorNotice>
      )}
      {value !== undefined ? <Gauges {...value} /> : error === undefined ? <Loading /> : null}
      {profile === undefined ? null : (
        <div className={styles["tables"]}>
          <MoveUp tier={profile.account.tier} />
          <Tiers tier={profile.account.tier} />
          <OperationLimits />
        </div>
      )}
    </Page>
  )
}
