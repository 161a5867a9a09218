import type { AuditReport } from "@tollgate/contract/admin/Audit"
import { count } from "../../../ui/amounts.ts"
import { Card } from "../../../ui/Card.tsx"
import styles from "../operator.module.css"

/** More would not help to find the cause. */
const most = 200

export const Differences = ({ differences }: Pick<AuditReport, "differences">) => (
  <Card title="Differences" flush>
    <div className="table" tabIndex={0} role="group" aria-label="Differences">
      <table className={styles.stack}>
        <thead>
          <tr>
            <th scope="col">Row</th>
            <th scope="col">Column</th>
            <th scope="col" className="number">
              Stored
            </th>
            <th scope="col" className="number">
              Expected
            </th>
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
    </div>
    {differences.length <= most ? null : (
      <p className={styles.more}>
        The first {count(most)} of {count(differences.length)}
      </p>
    )}
  </Card>
)
