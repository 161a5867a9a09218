import { upstreams } from "@tollgate/client/admin"
import type { UpstreamHealth } from "@tollgate/contract/admin/Upstream"
import { useLoad } from "@tollgate/react"
import { count } from "../../../ui/amounts.ts"
import { Card, Empty, Page, Skeleton, Tag } from "../../../ui/kit.tsx"
import { Meter } from "../../../ui/Meter.tsx"
import { useNow } from "../../../ui/times.ts"
import styles from "../operator.module.css"
import { Failure } from "../parts/Failure.tsx"

const Countdown = ({ at }: { readonly at: string }) => {
  const left = Math.ceil((Date.parse(at) - useNow(500)) / 1000)
  return <>{left > 0 ? `The next call is sent in ${left} s at the earliest.` : "The pause is over."}</>
}

/** What the breaker does, in words. */
const BreakerWords = ({ upstream }: { readonly upstream: UpstreamHealth }) => {
  const { breaker, cause, retry_at: at } = upstream
  return (
    <p className={styles.breaker}>
      {breaker === "closed" ? "Calls are sent normally." : null}
      {breaker === "off" ? "Calls are always sent. It has no breaker." : null}
      {breaker === "probing"
        ? `The pause is over. One call at a time is sent until one succeeds. ${cause ?? ""}`
        : null}
      {breaker === "open" ? (
        <>
          No calls are sent. {cause} {at === null ? null : <Countdown at={at} />}
        </>
      ) : null}
    </p>
  )
}

const states = {
  closed: { kind: "good", label: "Serving" },
  open: { kind: "bad", label: "Paused" },
  probing: { kind: "warn", label: "Probing" },
  off: { kind: "accent", label: "Always on" }
} as const

const toneOf = (ratio: number) => (ratio >= 1 ? "bad" : ratio >= 0.8 ? "warn" : "accent")

const Bar = ({ label, ratio, words }: { readonly label: string; readonly ratio: number; readonly words: string }) => (
  <div className={styles.meter}>
    <span>{label}</span>
    <span className="number">{words}</span>
    <Meter label={label} ratio={ratio} tone={toneOf(ratio)} />
  </div>
)

/** One upstream. Its height does not change with its state. */
const UpstreamCard = ({ upstream }: { readonly upstream: UpstreamHealth }) => {
  const { connections, routes, rpm } = upstream
  const served = new Set(routes.flatMap(({ operations }) => operations)).size
  const { kind, label } = states[upstream.breaker]
  return (
    <Card title={upstream.name} action={<Tag kind={kind}>{label}</Tag>}>
      <p className={`mono soft ${styles.address}`}>{upstream.base_url}</p>
      <BreakerWords upstream={upstream} />
      <Bar
        label="Connections"
        ratio={connections.busy / Math.max(1, connections.limit)}
        words={`${count(connections.busy)} of ${count(connections.limit)} busy, ${count(connections.waiting)} waiting`}
      />
      {rpm === null ? null : (
        <Bar
          label="Requests per minute"
          ratio={1 - rpm.remaining / Math.max(1, rpm.limit)}
          words={`${count(Math.max(0, Math.floor(rpm.remaining)))} of ${count(rpm.limit)} left`}
        />
      )}
      <details className={styles.serves}>
        <summary>
          Serves {count(served)} {served === 1 ? "operation" : "operations"}
        </summary>
        <ul>
          {routes.map((route) => (
            <li key={JSON.stringify(route)}>
              <span className="mono">{route.operations.join(", ")}</span>
              <small className={styles.below}>
                {route.models.length === 0 ? "all models" : route.models.join(", ")}, weight {count(route.weight)}
              </small>
            </li>
          ))}
        </ul>
      </details>
    </Card>
  )
}

const load = upstreams()

/** How the upstreams do, as it changes. */
export const UpstreamsPage = () => {
  const { error, refresh, value } = useLoad(load, { every: "2 seconds" })
  return (
    <Page title="Upstreams" lead="The services that execute calls, and their state now.">
      {error === undefined ? null : <Failure error={error} retry={refresh} />}
      {value === undefined ? (
        error === undefined ? (
          <Skeleton lines={3} tall />
        ) : null
      ) : value.upstreams.length === 0 ? (
        <Card>
          <Empty title="No upstreams">
            <p>Add upstreams and their routes in the configuration file.</p>
          </Empty>
        </Card>
      ) : (
        <div className="grid">
          {value.upstreams.map((upstream) => (
            <UpstreamCard key={`${upstream.name} ${upstream.base_url}`} upstream={upstream} />
          ))}
        </div>
      )}
    </Page>
  )
}
