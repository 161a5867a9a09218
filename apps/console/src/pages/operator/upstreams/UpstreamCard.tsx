import type { UpstreamHealth } from "@tollgate/contract/admin/Upstream"
import { count } from "../../../ui/amounts.ts"
import { Card } from "../../../ui/Card.tsx"
import { Meter } from "../../../ui/Meter.tsx"
import { Tag } from "../../../ui/Tag.tsx"
import styles from "../operator.module.css"
import { BreakerWords } from "./BreakerWords.tsx"

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
export const UpstreamCard = ({ upstream }: { readonly upstream: UpstreamHealth }) => {
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
          label="Requests a minute"
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
