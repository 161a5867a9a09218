import { upstreams } from "@tollgate/client/admin"
import type { UpstreamHealth } from "@tollgate/contract/admin/Upstream"
import { useLoad } from "@tollgate/react/effect"
import type { ReactNode } from "react"
import { count, counted } from "../../../ui/amounts.ts"
import { Card, Empty, Loaded, Page, Skeleton, Tag } from "../../../ui/kit.tsx"
import { Meter } from "../../../ui/Meter.tsx"
import { useNow } from "../../../ui/times.ts"
import { upstreamStates } from "../Attention.tsx"
import styles from "../operator.module.css"

const Countdown = ({ at }: { readonly at: string }) => {
  const left = Math.ceil((Date.parse(at) - useNow(500)) / 1000)
  return <>{left > 0 ? `The next call is sent in ${left} s at the earliest.` : "The pause is over."}</>
}

const breakerWords = ({ breaker, cause, retry_at: at }: UpstreamHealth): ReactNode => {
  if (breaker === "closed") return "Calls are sent normally."
  if (breaker === "off") return "Always available (no circuit breaker)."
  if (breaker === "probing") {
    return `The pause is over. One call at a time is sent until one succeeds. ${cause ?? ""}`
  }
  return (
    <>
      No calls are sent. {cause} {at === null ? null : <Countdown at={at} />}
    </>
  )
}

/** One upstream. Its height does not change with its state. */
const UpstreamCard = ({ upstream }: { readonly upstream: UpstreamHealth }) => {
  const { connections, routes, rpm } = upstream
  const served = new Set(routes.flatMap(({ operations }) => operations)).size
  const { kind, label } = upstreamStates[upstream.breaker]
  return (
    <Card title={upstream.name} action={<Tag kind={kind}>{label}</Tag>}>
      <p className={`mono soft ${styles.address}`}>{upstream.base_url}</p>
      <p className={styles.breaker}>{breakerWords(upstream)}</p>
      <Meter
        label="Connections"
        used={connections.busy}
        limit={connections.limit}
        words={`${count(connections.busy)} of ${count(connections.limit)} busy, ${count(connections.waiting)} waiting`}
      />
      {rpm === null ? null : (
        <Meter
          label="Requests per minute"
          used={rpm.limit - rpm.remaining}
          limit={rpm.limit}
          words={`${count(Math.max(0, Math.floor(rpm.remaining)))} of ${count(rpm.limit)} left`}
        />
      )}
      <details className={`${styles.serves} ${styles.options}`}>
        <summary>Serves {counted(served, "operation")}</summary>
        <ul>
          {routes.map((route) => (
            <li key={JSON.stringify(route)}>
              <span className="mono">{route.operations.join(", ")}</span>
              <small className="below">
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

export const UpstreamsPage = () => {
  return (
    <Page title="Upstreams" lead="The services that execute calls, and their state now.">
      <Loaded of={useLoad(load, { every: "2 seconds" })} loading={<Skeleton lines={3} tall />}>
        {({ upstreams }) =>
          upstreams.length === 0 ? (
            <Empty inCard title="No upstreams">
              <p>Add upstreams and their routes in the configuration file.</p>
            </Empty>
          ) : (
            <div className="grid">
              {upstreams.map((upstream) => (
                <UpstreamCard key={`${upstream.name} ${upstream.base_url}`} upstream={upstream} />
              ))}
            </div>
          )
        }
      </Loaded>
    </Page>
  )
}
