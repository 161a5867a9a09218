import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { overview } from "@tollgate/client/admin"
import type { Overview } from "@tollgate/contract/admin/Overview"
import { useLoad } from "@tollgate/react/effect"
import { count, counted, microsOf, shortUsd } from "../../../ui/amounts.ts"
import { Loaded, Page, Skeleton, type StatOf, Stats } from "../../../ui/kit.tsx"
import { type Column, TableCard } from "../../../ui/Table.tsx"
import { duration } from "../../../ui/times.ts"
import { Attention, todayOf } from "../Attention.tsx"
import { AccountLink } from "../parts.tsx"

interface CallsProps {
  readonly from: string
  readonly account?: string
  readonly operation?: string
  readonly failed?: "true"
  readonly children: ReactNode
}

/** A figure that leads to the calls that it counts. */
const Calls = ({ children, ...search }: CallsProps) => (
  <Link to="/operator/calls" search={search}>
    {children}
  </Link>
)

const Figures = ({ of }: { readonly of: Overview }) => {
  const { latency, today, usual, usual_days } = of
  const from = todayOf(of)
  const day = from.slice(0, 10)
  const usually = (value: string) => (usual_days === 0 ? undefined : `Usually ${value}`)
  const isCosted = microsOf(today.costed_micros_usd) > 0n || microsOf(today.cost_micros_usd) > 0n
  const money = (label: string, name: "charged_micros_usd" | "cost_micros_usd" | "margin_micros_usd"): StatOf =>
    name !== "charged_micros_usd" && !isCosted
      ? [label, "–", "No cost is known today"]
      : [
          label,
          <Link to="/operator/billing" search={{ window: `${day}..${day}` }}>
            {shortUsd(today[name])}
          </Link>,
          usually(shortUsd(usual[name]))
        ]
  return (
    <Stats
      of={[
        money("Revenue", "charged_micros_usd"),
        money("Upstream cost", "cost_micros_usd"),
        money("Margin", "margin_micros_usd"),
        ["Calls", <Calls from={from}>{count(today.requests)}</Calls>, usually(count(usual.requests))],
        [
          "Failed",
          <Calls from={from} failed="true" children={count(today.failed_requests)} />,
          usually(count(usual.failed_requests))
        ],
        latency === null
          ? ["Latency, p95", "–"]
          : [
              "Latency, p95",
              <Calls from={latency.since}>{duration(latency.p95_ms)}</Calls>,
              `p50 ${duration(latency.p50_ms)}, ${counted(latency.calls, "call")}`
            ]
      ]}
    />
  )
}

type Account = Overview["accounts"][number]

const accountColumns = (from: string): ReadonlyArray<Column<Account>> => [
  { head: "Account", kind: "name", cell: AccountLink },
  {
    head: "Calls",
    kind: "number",
    cell: ({ id, requests }) => <Calls from={from} account={id} children={count(requests)} />
  },
  {
    head: "Failed",
    kind: "number",
    cell: ({ failed_requests, id }) => (
      <Calls from={from} account={id} failed="true" children={count(failed_requests)} />
    )
  },
  { head: "Charged", usd: (account) => account.charged_micros_usd },
  { head: "Usually", usd: (account) => account.usual_charged_micros_usd, className: "soft" }
]

type Operation = NonNullable<Overview["latency"]>["operations"][number]

const operationColumns = (from: string): ReadonlyArray<Column<Operation>> => [
  {
    head: "Operation",
    kind: "name",
    cell: ({ operation }) => <Calls from={from} operation={operation} children={operation} />
  },
  { head: "Calls", kind: "number", cell: ({ calls }) => count(calls) },
  {
    head: "Failed",
    kind: "number",
    cell: ({ failed, operation }) => <Calls from={from} operation={operation} failed="true" children={count(failed)} />
  },
  { head: "p50", kind: "number", cell: ({ p50_ms }) => duration(p50_ms) },
  { head: "p95", kind: "number", cell: ({ p95_ms }) => duration(p95_ms) }
]

const load = overview()

export const HomePage = () => (
  <Page title="Home" lead="Today (UTC). “Usually” is the mean of the last 7 days up to this time of day.">
    <Loaded of={useLoad(load, { every: "15 seconds" })} loading={<Skeleton lines={8} tall />}>
      {(found) => (
        <>
          <Figures of={found} />
          <Attention of={found} />
          <TableCard
            title="Top accounts today"
            columns={accountColumns(todayOf(found))}
            rows={found.accounts}
            keyOf={({ id }) => id}
            empty="No calls today"
          />
          <TableCard
            title="Slowest operations of the last 24 hours"
            columns={operationColumns(found.latency?.since ?? "")}
            rows={found.latency?.operations ?? []}
            keyOf={({ operation }) => operation}
            empty="No calls in the last 24 hours"
          />
        </>
      )}
    </Loaded>
  </Page>
)
