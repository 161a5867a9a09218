import { audit } from "@tollgate/client/admin"
import type { AuditReport } from "@tollgate/contract/admin/Audit"
import { useCall } from "@tollgate/react"
import { count, usdColumn } from "../../../ui/amounts.ts"
import { Button, Card, Empty, Page, Stat, Stats } from "../../../ui/kit.tsx"
import { duration, fullTime } from "../../../ui/times.ts"
import styles from "../operator.module.css"
import { DataTable } from "../parts/DataTable.tsx"
import { Failure } from "../parts/Failure.tsx"

/** More would not help to find the cause. */
const most = 200

const Differences = ({ differences }: Pick<AuditReport, "differences">) => (
  <Card title="Differences" flush>
    <DataTable label="Differences" columns={["Row", "Column", { number: "Stored" }, { number: "Expected" }]}>
      {differences.slice(0, most).map(({ column, expected, id, stored, table }) => (
        <tr key={`${table} ${column} ${id}`}>
          <th scope="row" className={styles.name}>
            <span>{table}</span>
            <span className="mono soft">{id}</span>
          </th>
          <td data-label="Column">{column}</td>
          <td data-label="Stored" className="number">
            {stored ?? "none"}
          </td>
          <td data-label="Expected" className="number">
            {expected ?? "none"}
          </td>
        </tr>
      ))}
    </DataTable>
    {differences.length <= most ? null : (
      <p className={styles.more}>
        The first {count(most)} of {count(differences.length)}
      </p>
    )}
  </Card>
)

const names: Readonly<Record<string, string>> = {
  accounts: "Accounts",
  keys: "Keys",
  grants: "Grants",
  calls: "Calls",
  entered_micros_usd: "Entries",
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
    : `${count(differences.length)} ${differences.length === 1 ? "difference" : "differences"} in the ledger`
  return (
    <>
      <div className={`notice ${report.correct ? "good" : "bad"} ${styles.verdict}`} role="status">
        <strong>{verdict}</strong>
        <p>
          {fullTime(report.at)}, in {duration(report.took_ms)}
        </p>
      </div>
      {differences.length === 0 ? null : <Differences differences={differences} />}
      <Stats>
        <Stat label="Open" value={count(report.open)} note="Calls under way" />
        <Stat label="Running" value={count(report.running)} note="Tasks under way" />
        <Stat label="Unknown" value={count(report.unknown)} note="Unclear whether they ran" />
        <Stat label="Overdrafts" value={count(report.overdrafts)} note="Below zero" />
      </Stats>
      <Card title="Totals" flush>
        <table className={styles.narrow}>
          <tbody>
            {totals.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{names[name] ?? name}</th>
                <td className="number">{isAmount(name) ? usd(value) : count(BigInt(value))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Card>
    </>
  )
}

const run = (_: undefined) => audit()

/** The books recomputed from their rows. */
export const AuditPage = () => {
  const { call, error, state, value } = useCall(run)
  const busy = state === "pending"
  return (
    <Page
      title="Audit"
      lead="Recalculates every balance from calls and entries, and compares. Changes nothing."
      actions={
        <Button kind="main" busy={busy} disabled={busy} onClick={() => call(undefined)}>
          {state === "done" ? "Run it again" : "Run the audit"}
        </Button>
      }
    >
      {error === undefined ? null : <Failure error={error} retry={() => call(undefined)} />}
      {value === undefined ? (
        state === "failed" ? null : (
          <Card>
            <Empty title={busy ? "Recalculating the ledger" : "The audit has not run yet"}>
              <p>It reads all calls. On a large store this takes a while. The gateway keeps serving calls.</p>
            </Empty>
          </Card>
        )
      ) : (
        <Report report={value} />
      )}
    </Page>
  )
}
