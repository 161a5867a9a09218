import { Link } from "@tanstack/react-router"
import { overview } from "@tollgate/client/admin"
import type { Overview } from "@tollgate/contract/admin/Overview"
import { useLoad } from "@tollgate/react"
import type { ReactNode } from "react"
import { count, microsOf, shortUsd } from "../../../ui/amounts.ts"
import { Card, Empty, Loaded, Page, Skeleton, Stats, Tag } from "../../../ui/kit.tsx"
import { type Column, Table } from "../../../ui/Table.tsx"
import { duration } from "../../../ui/times.ts"
import { counted } from "../parts.tsx"
import { upstreamStates } from "../upstreams/UpstreamsPage.tsx"
import styles from "../operator.module.css"

/** Today, as the filter of calls has days. */
const todayOf = ({ at }: Overview): string => at.slice(0, 10)

const Figures = ({ of }: { readonly of: Overview }) => {
  const { latency, today, usual, usual_days } = of
  const from = todayOf(of)
  const usually = (value: string) => (usual_days === 0 ? "No day to compare with yet" : `Usually ${value}`)
  const money = (name: "charged_micros_usd" | "cost_micros_usd" | "margin_micros_usd") =>
    [<Link to="/operator/margin">{shortUsd(today[name])}</Link>, usually(shortUsd(usual[name]))] as const
  const isCosted = microsOf(today.costed_micros_usd) > 0n || microsOf(today.cost_micros_usd) > 0n
  const costs = (name: "cost_micros_usd" | "margin_micros_usd") =>
    isCosted ? money(name) : ([<Link to="/operator/margin">–</Link>, "No cost is known today"] as const)
  const number = (name: "requests" | "failed_requests", failed?: string) =>
    [
      <Link to="/operator/calls" search={{ from, ...(failed === undefined ? {} : { failed }) }}>
        {count(today[name])}
      </Link>,
      usually(count(usual[name]))
    ] as const
  return (
    <Stats
      of={[
        ["Revenue", ...money("charged_micros_usd")],
        ["Upstream cost", ...costs("cost_micros_usd")],
        ["Margin", ...costs("margin_micros_usd")],
        ["Calls", ...number("requests")],
        ["Failed", ...number("failed_requests", "true")],
        [
          "Latency, p95",
          <Link to="/operator/calls">{latency === null ? "–" : duration(latency.p95_ms)}</Link>,
          latency === null ? undefined : `p50 ${duration(latency.p50_ms)}, latest ${counted(latency.calls, "call")}`
        ]
      ]}
    />
  )
}

const Alarms = ({ of }: { readonly of: Overview }) => {
  const from = todayOf(of)
  const broken = of.upstreams.filter(({ breaker }) => breaker === "open" || breaker === "probing")
  const alarms: ReadonlyArray<readonly [number: number, noun: string, rest: string, (words: string) => ReactNode]> = [
    [broken.length, "upstream", "not serving normally", (words) => <Link to="/operator/upstreams">{words}</Link>],
    [
      of.overdrawn_accounts,
      "account",
      "with a balance below zero",
      (words) => (
        <Link to="/operator/accounts" search={{ sort: "poorest" }}>
          {words}
        </Link>
      )
    ],
    [
      of.unknown_calls,
      "call",
      "today with an unknown outcome",
      (words) => (
        <Link to="/operator/calls" search={{ from, state: "unknown" }}>
          {words}
        </Link>
      )
    ],
    [
      of.refused_calls,
      "call",
      "today refused",
      (words) => (
        <Link to="/operator/calls" search={{ from, state: "refused" }}>
          {words}
        </Link>
      )
    ],
    [
      of.calls_with_gaps,
      "call",
      "today used something without a price",
      (words) => <Link to="/operator/prices">{words}</Link>
    ]
  ]
  const raised = alarms.filter(([number]) => number > 0)
  return (
    <Card title="Needs attention">
      {raised.length === 0 ? (
        <p className="soft">Nothing.</p>
      ) : (
        <ul className={styles.alarms}>
          {raised.map(([number, noun, rest, link]) => (
            <li key={rest}>{link(`${counted(number, noun)} ${rest}`)}</li>
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

type Account = Overview["accounts"][number]

const accountColumns: ReadonlyArray<Column<Account>> = [
  {
    head: "Account",
    kind: "name",
    cell: ({ id, label }) => (
      <Link to="/operator/accounts/$account" params={{ account: id }}>
        {label === "" ? id : label}
      </Link>
    )
  },
  {
    head: "Calls",
    kind: "number",
    cell: ({ id, requests }) => (
      <Link to="/operator/calls" search={{ account: id }}>
        {count(requests)}
      </Link>
    )
  },
  {
    head: "Failed",
    kind: "number",
    cell: ({ failed_requests, id }) => (
      <Link to="/operator/calls" search={{ account: id, failed: "true" }}>
        {count(failed_requests)}
      </Link>
    )
  },
  { head: "Charged", usd: (account) => account.charged_micros_usd },
  { head: "Usually", usd: (account) => account.usual_charged_micros_usd, className: "soft" }
]

type Operation = NonNullable<Overview["latency"]>["operations"][number]

const operationColumns: ReadonlyArray<Column<Operation>> = [
  {
    head: "Operation",
    kind: "name",
    cell: ({ operation }) => (
      <Link to="/operator/calls" search={{ operation }}>
        {operation}
      </Link>
    )
  },
  { head: "Calls", kind: "number", cell: ({ calls }) => count(calls) },
  {
    head: "Failed",
    kind: "number",
    cell: ({ failed, operation }) => (
      <Link to="/operator/calls" search={{ operation, failed: "true" }}>
        {count(failed)}
      </Link>
    )
  },
  { head: "p50", kind: "number", cell: ({ p50_ms }) => duration(p50_ms) },
  { head: "p95", kind: "number", cell: ({ p95_ms }) => duration(p95_ms) }
]

const load = overview()

export const HomePage = () => (
  <Page
    title="Home"
    lead="Today (UTC), against the mean of the last 7 days up to the same minute. Latency is of the latest calls of 24 hours."
  >
    <Loaded of={useLoad(load, { every: "15 seconds" })} loading={<Skeleton lines={8} tall />}>
      {(found) => (
        <>
          <Figures of={found} />
          <div className={styles.halves}>
            <Alarms of={found} />
            <Upstreams of={found} />
          </div>
          <Card title="Top accounts today" flush>
            <Table
              label="Top accounts today"
              columns={accountColumns}
              rows={found.accounts}
              keyOf={({ id }) => id}
              empty={<Empty title="No calls today" />}
            />
          </Card>
          <Card title="Slowest operations" flush>
            <Table
              label="Slowest operations"
              columns={operationColumns}
              rows={found.latency?.operations ?? []}
              keyOf={({ operation }) => operation}
              empty={<Empty title="No calls in the last 24 hours" />}
            />
          </Card>
        </>
      )}
    </Loaded>
  </Page>
)
