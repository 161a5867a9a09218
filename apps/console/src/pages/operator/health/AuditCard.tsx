import { type Column, Named, TableCard } from "../../../ui/Table.tsx"
import { audit } from "@tollgate/client/admin"
import type { AuditReport } from "@tollgate/contract/admin/Audit"
import { useCall } from "@tollgate/react/effect"
import { count, counted, usdColumn } from "../../../ui/amounts.ts"
import { Button, Card, ErrorNotice, Facts, Stats } from "../../../ui/kit.tsx"
import { duration, fullTime } from "../../../ui/times.ts"
import styles from "../operator.module.css"

/** More would not help to find the cause. */
const most = 200

type Difference = AuditReport["differences"][number]

const columns: ReadonlyArray<Column<Difference>> = [
  {
    head: "Row",
    kind: "name",
    cell: ({ id, table }) => <Named id={id}>{table}</Named>
  },
  { head: "Column", cell: ({ column }) => column },
  { head: "Stored", kind: "number", cell: ({ stored }) => stored ?? "none" },
  { head: "Expected", kind: "number", cell: ({ expected }) => expected ?? "none" }
]

const Differences = ({ differences }: Pick<AuditReport, "differences">) => (
  <TableCard
    title="Differences"
    columns={columns}
    rows={differences.slice(0, most)}
    keyOf={({ column, id, table }) => `${table} ${column} ${id}`}
    below={
      differences.length <= most ? null : (
        <p>
          The first {count(most)} of {count(differences.length)}
        </p>
      )
    }
  />
)

const names: Readonly<Record<string, string>> = {
  accounts: "Accounts",
  keys: "Keys",
  grants: "Apps",
  calls: "Calls",
  entered_micros_usd: "Transactions",
  charged_micros_usd: "Charged",
  loss_micros_usd: "Above caps (your loss)",
  balance_micros_usd: "Balances",
  reserved_micros_usd: "Reserved"
}

const isAmount = (name: string): boolean => name.endsWith("_micros_usd")

/** The verdict first, then what it was made from. */
const Report = ({ report }: { readonly report: AuditReport }) => {
  const { differences } = report
  const totals = Object.entries(report.totals)
  const usd = usdColumn(totals.flatMap(([name, value]) => (isAmount(name) ? [value] : [])))
  const verdict = report.correct
    ? "The ledger is consistent"
    : `${counted(differences.length, "difference")} in the ledger`
  return (
    <>
      <div className={`notice ${report.correct ? "good" : "bad"} ${styles.verdict}`} role="status">
        <strong>{verdict}</strong>
        <p>
          {fullTime(report.at)}, in {duration(report.took_ms)}
        </p>
      </div>
      {differences.length === 0 ? null : <Differences differences={differences} />}
      <Stats
        of={[
          ["Open", count(report.open), "Calls under way"],
          ["Running", count(report.running), "Tasks under way"],
          ["Unknown", count(report.unknown), "Unclear whether they ran"],
          ["Overdrafts", count(report.overdrafts), "Below zero"]
        ]}
      />
      <div className={styles.narrow}>
        <Card title="Totals">
          <Facts
            areFigures
            of={totals.map(([name, value]) => [
              names[name] ?? name,
              isAmount(name) ? usd(value) : count(BigInt(value))
            ])}
          />
        </Card>
      </div>
    </>
  )
}

const run = (_: undefined) => audit()

/** Recalculates every balance from calls and transactions, and compares. */
export const AuditCard = ({ waiting }: { readonly waiting: number }) => {
  const { call, error, state, value } = useCall(run)
  const busy = state === "pending"
  return (
    <>
      <Card
        title="Ledger"
        action={
          <Button busy={busy} disabled={busy} onClick={() => call(undefined)}>
            {state === "done" ? "Run it again" : "Run the audit"}
          </Button>
        }
      >
        <p>{waiting === 0 ? "Nothing waits" : `${counted(waiting, "change")} waiting`} for the next checkpoint.</p>
        <p className="soft">
          {busy
            ? "The audit reads all calls. On a large store this takes a while. The gateway keeps serving calls."
            : value === undefined
              ? "The audit recalculates every balance from calls and transactions, and compares. It has not run yet on this page."
              : "The audit changes nothing."}
        </p>
      </Card>
      {error === undefined ? null : <ErrorNotice error={error} retry={() => call(undefined)} />}
      {value === undefined ? null : <Report report={value} />}
    </>
  )
}
