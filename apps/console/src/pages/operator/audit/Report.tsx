import type { AuditReport } from "@tollgate/contract/admin/Audit"
import { count, usd } from "../../../ui/amounts.ts"
import { Card } from "../../../ui/Card.tsx"
import { Stat, Stats } from "../../../ui/Stat.tsx"
import { duration, fullTime } from "../../../ui/times.ts"
import styles from "../operator.module.css"
import { Differences } from "./Differences.tsx"

const names: Readonly<Record<string, string>> = {
  accounts: "Accounts",
  keys: "Keys",
  grants: "Grants",
  calls: "Calls",
  entered_micros_usd: "Top-ups and adjustments",
  charged_micros_usd: "Charged",
  loss_micros_usd: "Beyond caps, the operator's loss",
  balance_micros_usd: "Balances",
  reserved_micros_usd: "Reserved"
}

/** The verdict first, then what it was made from. */
export const Report = ({ report }: { readonly report: AuditReport }) => {
  const { differences } = report
  const verdict = report.correct
    ? "The books are correct"
    : `${count(differences.length)} ${differences.length === 1 ? "difference" : "differences"} in the books`
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
        <Stat label="Unknown" value={count(report.unknown)} note="Their end is not known yet" />
        <Stat label="Written off" value={count(report.written_off)} note="Their end was never known" />
        <Stat label="Overdrafts" value={count(report.overdrafts)} note="Below zero" />
      </Stats>
      <Card title="Totals" flush>
        <table className={styles.narrow}>
          <tbody>
            {Object.entries(report.totals).map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{names[name] ?? name}</th>
                <td className="number">{name.endsWith("_micros_usd") ? usd(value) : count(BigInt(value))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Card>
    </>
  )
}
