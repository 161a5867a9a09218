import { Link } from "@tanstack/react-router"
import { overview } from "@tollgate/client/admin"
import type { Overview } from "@tollgate/contract/admin/Overview"
import { useLoad } from "@tollgate/react/effect"
import { count, microsOf, shortUsd } from "../../../ui/amounts.ts"
import { Loaded, Page, Skeleton, Stats } from "../../../ui/kit.tsx"
import { type Column, TableCard } from "../../../ui/Table.tsx"
import { duration } from "../../../ui/times.ts"
import { Attention, todayOf } from "../Attention.tsx"
import { AccountLink, counted } from "../parts.tsx"

const Figures = ({ of }: { readonly of: Overview }) => {
  const { latency, today, usual, usual_days } = of
  const from = todayOf(of)
  const day = from.slice(0, 10)
  const usually = (value: string) => (usual_days === 0 ? "No day to compare with yet" : `Usually ${value}`)
  const money = (name: "charged_micros_usd" | "cost_micros_usd" | "margin_micros_usd") =>
    [
      <Link to="/operator/billing" search={{ window: `${day}..${day}` }}>
        {shortUsd(today[name])}
      </Link>,
      usually(shortUsd(usual[name]))
    ] as const
  const isCosted = microsOf(today.costed_micros_usd) > 0n || microsOf(today.cost_micros_usd) > 0n
  const costs = (name: "cost_micros_usd" | "margin_micros_usd") =>
    isCosted
      ? money(name)
      : ([
          <Link to="/operator/billing" search={{ window: `${day}..${day}` }}>
            –
          </Link>,
          "No cost is known today"
        ] as const)
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
          latency === null ? (
            "–"
          ) : (
            <Link to="/operator/calls" search={{ from: latency.since }}>
              {duration(latency.p95_ms)}
            </Link>
          ),
          latency === null ? undefined : `p50 ${duration(latency.p50_ms)}, latest ${counted(latency.calls, "call")}`
        ]
      ]}
    />
  )
}

type Account = Overview["accounts"][number]

const accountColumns = (from: string): ReadonlyArray<Column<Account>> => [
  {
    head: "Account",
    kind: "name",
    cell: AccountLink
  },
  {
    head: "Calls",
    kind: "number",
    cell: ({ id, requests }) => (
      <Link to="/operator/calls" search={{ account: id, from }}>
        {count(requests)}
      </Link>
    )
  },
  {
    head: "Failed",
    kind: "number",
    cell: ({ failed_requests, id }) => (
      <Link to="/operator/calls" search={{ account: id, from, failed: "true" }}>
        {count(failed_requests)}
      </Link>
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
    cell: ({ operation }) => (
      <Link to="/operator/calls" search={{ operation, from }}>
        {operation}
      </Link>
    )
  },
  { head: "Calls", kind: "number", cell: ({ calls }) => count(calls) },
  {
    head: "Failed",
    kind: "number",
    cell: ({ failed, operation }) => (
      <Link to="/operator/calls" search={{ operation, from, failed: "true" }}>
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
          <Attention of={found} />
          <TableCard
            title="Top accounts today"
            columns={accountColumns(todayOf(found))}
            rows={found.accounts}
            keyOf={({ id }) => id}
            empty="No calls today"
          />
          <TableCard
            title="Slowest operations"
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
