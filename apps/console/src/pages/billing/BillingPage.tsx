import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { statements, transactions } from "@tollgate/client/account"
import type { AccountBalance, BalancedTransaction, MonthSums } from "@tollgate/contract/account/Billing"
import { useLoad } from "@tollgate/react/effect"
import { useMemo } from "react"
import { leftUsd, shortUsd, usd } from "../../ui/amounts.ts"
import { Empty, Loaded, Page, Skeleton, Stats } from "../../ui/kit.tsx"
import { SayProvider } from "../../ui/Say.tsx"
import { type Column, List, Pager } from "../../ui/Table.tsx"
import { dateOnly } from "../../ui/times.ts"
import { AddMoney, PaymentCards, usePayments } from "./payments.tsx"
import { lastsFor, LowBalance, monthName, transactionColumns, useBalance, useSeesBalance } from "./parts.tsx"

const Amount = ({ of }: { readonly of: bigint | number | string }) => (
  <span title={usd(BigInt(of))}>{leftUsd(BigInt(of))}</span>
)

const BalanceStats = ({ of }: { readonly of: AccountBalance }) => {
  const { available_micros_usd, balance_micros_usd, day_micros_usd, lasts_until, reserved_micros_usd } = of
  return (
    <Stats
      of={[
        ["Balance", <Amount of={balance_micros_usd} />],
        ["Available", <Amount of={available_micros_usd} />, `${usd(reserved_micros_usd)} reserved for open calls`],
        ["Charges a day", shortUsd(day_micros_usd), "Mean of the last 7 days"],
        ["Lasts until", lasts_until === null ? "–" : dateOnly(lasts_until), lastsFor(of)]
      ]}
    />
  )
}

const added = (month: MonthSums): bigint => BigInt(month.topups_micros_usd) + BigInt(month.credits_micros_usd)
const corrected = (month: MonthSums): bigint =>
  BigInt(month.refunds_micros_usd) + BigInt(month.reversals_micros_usd) + BigInt(month.adjustments_micros_usd)

const monthColumns: ReadonlyArray<Column<MonthSums>> = [
  {
    head: "Month (UTC)",
    kind: "name",
    cell: ({ ended, month }) => (
      <>
        <Link to="/billing/$month" params={{ month }}>
          {monthName(month)}
        </Link>
        {ended ? null : <span className="soft">so far</span>}
      </>
    )
  },
  { head: "Opening balance", extra: true, usd: ({ opening_micros_usd }) => opening_micros_usd },
  { head: "Top-ups and credits", usd: added },
  { head: "Refunds and corrections", usd: corrected },
  { head: "Charges", usd: ({ charges_micros_usd }) => charges_micros_usd },
  { head: "Closing balance", usd: ({ closing_micros_usd }) => closing_micros_usd }
]

const pageSize = 31

const columns: ReadonlyArray<Column<BalancedTransaction>> = [
  ...transactionColumns<BalancedTransaction>((call) => (
    <Link className="mono" to="/calls/$call" params={{ call }}>
      {call}
    </Link>
  )),
  { head: "Balance", usd: ({ balance_micros_usd }) => balance_micros_usd }
]

const Transactions = () => {
  const { before } = useSearch({ from: "/billing" })
  const navigate = useNavigate({ from: "/billing" })
  const load = useMemo(() => transactions({ limit: pageSize, ...(before === undefined ? {} : { before }) }), [before])
  const turn = (before: string | undefined) => void navigate({ search: before === undefined ? {} : { before } })
  return (
    <List
      title="Transactions"
      of={useLoad(load, { every: before === undefined ? "10 seconds" : undefined, keep: true })}
      columns={columns}
      rows={({ transactions }) => transactions}
      keyOf={({ id, kind }) => `${kind} ${id}`}
      empty="No transactions yet"
      below={({ next }) => <Pager of="transactions" before={before} next={next} onTurn={turn} />}
    />
  )
}

const loadMonths = statements()

const lead = "Days and months are UTC. The charges of a day are one transaction."

type Payments = ReturnType<typeof usePayments>

const Money = ({ balance, payments }: { balance: ReturnType<typeof useBalance>; payments: Payments }) => (
  <>
    <Loaded of={balance} loading={<Skeleton tall lines={1} />}>
      {(found) =>
        found === undefined ? null : (
          <>
            <LowBalance of={found} />
            <BalanceStats of={found} />
          </>
        )
      }
    </Loaded>
    <Loaded of={payments} loading={<></>}>
      {(found) => found && <PaymentCards of={found} refresh={payments.refresh} />}
    </Loaded>
    <List
      title="Statements"
      of={useLoad(loadMonths, { every: "60 seconds" })}
      columns={monthColumns}
      rows={({ months }) => months}
      keyOf={({ month }) => month}
    />
    <Transactions />
  </>
)

/** One `Page` for all: another would take the focus from the heading. */
export const BillingPage = () => {
  const sees = useSeesBalance()
  const balance = useBalance(sees)
  const payments = usePayments(sees, balance.refresh)
  return (
    <SayProvider>
      <Page
        title="Billing"
        lead={lead}
        actions={payments.value && <AddMoney of={payments.value} refresh={payments.refresh} />}
      >
        {sees === undefined ? (
          <Skeleton tall lines={3} />
        ) : sees ? (
          <Money balance={balance} payments={payments} />
        ) : (
          <Empty inCard title="This credential does not see the account's balance">
            <span>It has a budget of its own, which the overview shows.</span>
            <Link className="button main" to="/">
              Go to the overview
            </Link>
          </Empty>
        )}
      </Page>
    </SayProvider>
  )
}
