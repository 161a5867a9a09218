import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { accounts, allEntries, margin } from "@tollgate/client/admin"
import type { Amount } from "@tollgate/contract/account/Amount"
import type { TransactionKind } from "@tollgate/contract/account/Billing"
import type { Account, Accounts, AllEntries } from "@tollgate/contract/admin/Account"
import type { Margin, MarginGroup, MarginTotals } from "@tollgate/contract/admin/Margin"
import { useLoad } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import { useMemo, useState } from "react"
import { chargedUsd, count, microsOf, nanoUsd, shortUsd, usd } from "../../../ui/amounts.ts"
import { Segments } from "../../../ui/form.tsx"
import { dash, Empty, Loaded, Page, Skeleton, Stats } from "../../../ui/kit.tsx"
import { type Column, List, TableCard } from "../../../ui/Table.tsx"
import { kindNames } from "../../billing/parts.tsx"
import { choiceText, dayText, parseChoice, spanOf } from "../../overview/window.ts"
import { WindowPicker } from "../../overview/WindowPicker.tsx"
import { AccountLink, entryColumns } from "../parts.tsx"
import { PaymentsCard } from "../PaymentsCard.tsx"

const groupings = [
  ["account", "Account"],
  ["operation", "Operation"],
  ["model", "Model"],
  ["upstream", "Upstream"],
  ["day", "Day"]
] as const

type Grouping = (typeof groupings)[number][0]

const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 })

/** The margin as a part of what was charged. */
const shareWords = ({ costed_micros_usd, margin_micros_usd }: MarginTotals): string => {
  const charged = microsOf(costed_micros_usd)
  return charged === 0n ? "" : percent.format(Number((microsOf(margin_micros_usd) * 10_000n) / charged) / 10_000)
}

const short = (amount: Amount, exact = usd(amount)) => <span title={exact}>{shortUsd(amount)}</span>

const Figures = ({ totals }: { readonly totals: MarginTotals }) => (
  <Stats
    of={[
      ["Revenue", short(totals.charged_micros_usd)],
      [
        "Cost",
        short(totals.cost_micros_usd, nanoUsd(totals.cost_nano_usd)),
        `of ${count(totals.costed_requests)} calls`
      ],
      ["Margin", short(totals.margin_micros_usd), shareWords(totals)],
      ["Revenue, cost not known", short(totals.without_cost_micros_usd)]
    ]}
  />
)

const Name = ({ group: { id, label }, grouping }: { readonly group: MarginGroup; readonly grouping: Grouping }) => {
  if (id === "") return <span className="soft">None</span>
  if (grouping !== "account" || id === "other") return <span className="wrap">{label}</span>
  return <AccountLink id={id} label={label} />
}

const columns: ReadonlyArray<Column<MarginGroup>> = [
  { head: "Revenue", usd: ({ totals }) => totals.charged_micros_usd },
  { head: "Without cost", usd: ({ totals }) => totals.without_cost_micros_usd },
  { head: "Calls with cost", kind: "number", cell: ({ totals }) => count(totals.costed_requests) },
  {
    head: "Cost",
    usd: ({ totals }) => totals.cost_micros_usd,
    title: ({ totals }) => nanoUsd(totals.cost_nano_usd),
    cell: ({ totals }, cost) => chargedUsd(totals.cost_micros_usd, totals.cost_nano_usd, () => cost)
  },
  { head: "Margin", usd: ({ totals }) => totals.margin_micros_usd },
  { head: "Share", kind: "number", cell: ({ totals }) => shareWords(totals) || dash }
]

const groupsOf = (found: Margin, grouping: Grouping): ReadonlyArray<MarginGroup> =>
  grouping === "day"
    ? found.days
        .map(({ end_time: _, start_time, ...totals }) => ({
          id: dayText(start_time),
          label: dayText(start_time),
          totals
        }))
        .toReversed()
    : found[`by_${grouping}`]

const Groups = ({ found }: { readonly found: Margin }) => {
  const [grouping, setGrouping] = useState<Grouping>("account")
  const head = groupings.find(([id]) => id === grouping)?.[1] ?? ""
  return (
    <TableCard
      title={`By ${grouping}`}
      action={<Segments label="Group by" options={groupings} value={grouping} onChange={setGrouping} />}
      columns={[{ head, kind: "name", cell: (group) => <Name group={group} grouping={grouping} /> }, ...columns]}
      rows={groupsOf(found, grouping)}
      keyOf={({ id }) => id}
      empty={
        <Empty title="No call in this window has a known cost">
          <p>Set the upstream's own prices in the configuration file.</p>
        </Empty>
      }
    />
  )
}

const sums: ReadonlyArray<TransactionKind> = ["topup", "credit", "refund", "adjustment", "reversal"]

/** The gateway lists no more. */
const mostListed = 500

type AccountEntry = AllEntries["entries"][number]

const entries = entryColumns<AccountEntry>({
  head: "Account",
  kind: "name",
  cell: ({ account, account_label }) => <AccountLink id={account} label={account_label} />
})

/** Less than that is a low balance. */
const low = 1_000_000n

const available = ({ balance_micros_usd: balance, reserved_micros_usd: reserved }: Account): bigint =>
  microsOf(balance) - microsOf(reserved)

const lowest = ({ accounts }: Accounts): ReadonlyArray<Account> =>
  accounts
    .filter((account) => available(account) < low)
    .toSorted((a, b) => Number(available(a) - available(b)))
    .slice(0, 20)

const lowColumns: ReadonlyArray<Column<Account>> = [
  { head: "Account", kind: "name", cell: AccountLink },
  { head: "Balance", usd: ({ balance_micros_usd }) => balance_micros_usd },
  { head: "Available", usd: available }
]

const loadAccounts = accounts()

const LowBalances = () => (
  <List
    title="Low balances"
    of={useLoad(loadAccounts, { every: "15 seconds" })}
    action={
      <Link to="/operator/accounts" search={{ sort: "poorest" }}>
        All
      </Link>
    }
    columns={lowColumns}
    rows={lowest}
    keyOf={({ id }) => id}
    empty={`Every account has ${usd(low)} or more available`}
  />
)

/** What was earned and paid in a time, and who can soon pay no more. */
export const OperatorBillingPage = () => {
  const { window } = useSearch({ from: "/operator/billing" })
  const navigate = useNavigate({ from: "/operator/billing" })
  const load = useMemo(
    () =>
      Effect.suspend(() => {
        const { end, start } = spanOf(parseChoice(window), Date.now() / 1000)
        const of = { start_time: start, end_time: end }
        return Effect.all({ margin: margin(of), paid: allEntries(of) }, { concurrency: 2 })
      }),
    [window]
  )
  return (
    <Page
      title="Billing"
      lead="What callers were charged, what upstreams charge you for it, and what was paid. Callers see no costs. Days are UTC."
      actions={
        <WindowPicker
          isOfDays
          choice={parseChoice(window)}
          onChoose={(choice) => void navigate({ search: { window: choiceText(choice) }, replace: true })}
        />
      }
    >
      <Loaded of={useLoad(load, { every: "15 seconds", keep: true })} loading={<Skeleton lines={6} tall />}>
        {({ margin, paid }) => (
          <>
            <Figures totals={margin.totals} />
            <Stats of={sums.map((kind) => [`${kindNames[kind]}s`, short(paid.totals[kind] ?? 0)])} />
            <Groups found={margin} />
            <LowBalances />
            <PaymentsCard />
            <TableCard
              title="Transactions"
              columns={entries}
              rows={paid.entries}
              keyOf={({ id }) => id}
              empty="No transactions in this window"
              below={
                paid.entries.length < mostListed ? null : (
                  <p>The newest {count(mostListed)}. The sums above are of all.</p>
                )
              }
            />
          </>
        )}
      </Loaded>
    </Page>
  )
}
