import type { LimitState, RateState } from "@tollgate/contract/account/LimitState"
import { count } from "../../ui/amounts.ts"
import { Gauge } from "../../ui/Gauge.tsx"
import { groupName } from "./groupName.ts"
import styles from "./limits.module.css"

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
export const Gauges = ({ concurrency, groups, now, requests, tasks, tokens }: LimitState) => (
  <>
    <div className={styles["gauges"]}>
      <RateGauge label="Requests per minute" rate={requests} now={now} />
      <RateGauge label="Tokens per minute" rate={tokens} now={now} />
      <SlotsGauge label="Calls at a time" slots={concurrency} what="streams and long calls" />
      {tasks.limit === 0 ? null : <SlotsGauge label="Tasks at a time" slots={tasks} what="videos" />}
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
