import { Link, type LinkProps } from "@tanstack/react-router"
import type { Overview } from "@tollgate/contract/admin/Overview"
import { Card, Tag } from "../../ui/kit.tsx"
import styles from "./operator.module.css"
import { counted } from "../../ui/amounts.ts"

export const upstreamStates = {
  closed: { kind: "good", label: "Serving" },
  open: { kind: "bad", label: "Paused" },
  probing: { kind: "warn", label: "Probing" },
  off: { kind: "accent", label: "Always on" }
} as const

/** Since when the calls of today are. */
export const todayOf = ({ at }: Overview): string => `${at.slice(0, 10)}T00:00:00Z`

const Alarms = ({ of }: { readonly of: Overview }) => {
  const from = todayOf(of)
  const broken = of.upstreams.filter(({ breaker }) => breaker === "open" || breaker === "probing")
  const calls = (state: string): LinkProps => ({ to: "/operator/calls", search: { from, state } })
  const alarms: ReadonlyArray<readonly [number: number, noun: string, rest: string, link: LinkProps]> = [
    [broken.length, "upstream", "not serving normally", { to: "/operator/upstreams" }],
    [
      of.overdrawn_accounts,
      "account",
      "with a balance below zero",
      { to: "/operator/accounts", search: { sort: "poorest" } }
    ],
    [of.unknown_calls, "call", "today with an unknown outcome", calls("unknown")],
    [of.refused_calls, "call", "today refused", calls("refused")],
    [of.calls_with_gaps, "call", "today used something without a price", { to: "/operator/prices" }]
  ]
  const raised = alarms.filter(([number]) => number > 0)
  return (
    <Card title="Needs attention">
      {raised.length === 0 ? (
        <p className="soft">Nothing.</p>
      ) : (
        <ul className={styles.alarms}>
          {raised.map(([number, noun, rest, link]) => (
            <li key={rest}>
              <Link {...link}>
                {counted(number, noun)} {rest}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

const Upstreams = ({ of: { upstreams } }: { readonly of: Overview }) => (
  <Card title="Upstreams" action={<Link to="/operator/upstreams">All</Link>}>
    <ul className={styles.states}>
      {upstreams.map(({ breaker, name }, at) => (
        <li key={`${at} ${name}`}>
          <span className="wrap">{name}</span>
          <Tag kind={upstreamStates[breaker].kind}>{upstreamStates[breaker].label}</Tag>
        </li>
      ))}
    </ul>
    {upstreams.length === 0 ? <p className="soft">None.</p> : null}
  </Card>
)

/** What is wrong, or worth a look. */
export const Attention = ({ of }: { readonly of: Overview }) => (
  <div className={styles.halves}>
    <Alarms of={of} />
    <Upstreams of={of} />
  </div>
)
