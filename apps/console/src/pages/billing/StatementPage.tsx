import { Link, useParams } from "@tanstack/react-router"
import { type AccountError, statement } from "@tollgate/client/account"
import type { Statement, Transaction } from "@tollgate/contract/account/Billing"
import { statementCsv } from "@tollgate/contract/account/statementCsv"
import { useLoad } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import { useMemo } from "react"
import { gateway } from "../../session/gateway.ts"
import { count, usd, usdColumn } from "../../ui/amounts.ts"
import { saveCsv, saveFile } from "../../ui/csv.ts"
import { Button, Card, Empty, Facts, Loaded, Page, Skeleton } from "../../ui/kit.tsx"
import { type Column, operationColumn, TableCard } from "../../ui/Table.tsx"
import { fullTime } from "../../ui/times.ts"
import { monthName, transactionColumns } from "./parts.tsx"
import styles from "./billing.module.css"

type Found = Statement | "missing"

const statementOf = (month: string) =>
  Effect.catch(statement(month), (error: AccountError) =>
    "status" in error && error.status === 404 ? Effect.succeed<Found>("missing") : Effect.fail(error)
  )

const fileOf = ({ account, month }: Statement): string => `statement-${account}-${month}`

const Downloads = ({ of }: { readonly of: Statement }) => (
  <>
    <Button onClick={() => saveCsv(`${fileOf(of)}.csv`, statementCsv(of))}>CSV</Button>
    <Button
      onClick={() =>
        saveFile(`${fileOf(of)}.json`, new Blob([JSON.stringify(of, null, 2)], { type: "application/json" }))
      }
    >
      JSON
    </Button>
    <Button kind="main" onClick={() => print()}>
      Print
    </Button>
  </>
)

const sums = [
  ["opening_micros_usd", "Opening balance"],
  ["topups_micros_usd", "Top-ups"],
  ["credits_micros_usd", "Credits"],
  ["refunds_micros_usd", "Refunds"],
  ["reversals_micros_usd", "Reversed payments"],
  ["adjustments_micros_usd", "Corrections"],
  ["charges_micros_usd", "Charges"],
  ["closing_micros_usd", "Closing balance"]
] as const

const Sums = ({ of }: { readonly of: Statement }) => {
  const write = usdColumn(sums.map(([name]) => of[name]))
  return <Facts areFigures of={sums.map(([name, label]) => [label, write(of[name])])} />
}

type Operation = Statement["by_operation"][number]

const operationColumns: ReadonlyArray<Column<Operation>> = [
  operationColumn,
  { head: "Calls", kind: "number", cell: ({ requests }) => count(requests) },
  { head: "Charged", usd: ({ charged_micros_usd }) => charged_micros_usd }
]

const columns = transactionColumns<Transaction>((call) => <code>{call}</code>)

const Content = ({ of }: { readonly of: Statement }) => (
  <div className={styles.statement}>
    <Card title="Summary">
      <Facts
        of={[
          ["Account", of.account_label === "" ? of.account : `${of.account_label} (${of.account})`],
          ["From", `${gateway.name}, as of ${fullTime(of.as_of)}`]
        ]}
      />
      <Sums of={of} />
    </Card>
    <TableCard
      title="Transactions"
      columns={columns}
      rows={of.transactions}
      keyOf={({ id, kind }) => `${kind} ${id}`}
      empty="No transactions in this month"
      below={
        BigInt(of.left_out_micros_usd) === 0n ? null : (
          <p>Other transactions of the month, which are not listed: {usd(of.left_out_micros_usd)}</p>
        )
      }
    />
    {of.by_operation.length === 0 ? null : (
      <TableCard
        title="Charges by operation and model"
        columns={operationColumns}
        rows={of.by_operation}
        keyOf={({ model, operation }) => `${operation} ${model}`}
      />
    )}
  </div>
)

const back = <Link to="/billing">Billing</Link>

const OfMonth = ({ month }: { readonly month: string }) => {
  const { error, refresh, value } = useLoad(useMemo(() => statementOf(month), [month]))
  if (value === "missing") {
    return (
      <Page title="Statement" back={back}>
        <Empty inCard title="There is no statement of this month">
          <span>There is one for each month since the account was made.</span>
        </Empty>
      </Page>
    )
  }
  return (
    <Page
      title={value === undefined ? "Statement" : `Statement of ${monthName(value.month)}`}
      back={back}
      lead={value === undefined ? undefined : value.ended ? "Days are UTC." : "The month is not over. Days are UTC."}
      actions={value === undefined ? undefined : <Downloads of={value} />}
    >
      <Loaded of={{ error, refresh, value }} loading={<Skeleton lines={12} />}>
        {(found) => <Content of={found} />}
      </Loaded>
    </Page>
  )
}

export const StatementPage = () => {
  const { month } = useParams({ from: "/billing/$month" })
  return <OfMonth key={month} month={month} />
}
