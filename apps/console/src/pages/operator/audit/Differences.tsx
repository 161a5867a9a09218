import type { AuditReport } from "@tollgate/contract/admin/Audit"
import { count } from "../../../ui/amounts.ts"
import { Card } from "../../../ui/Card.tsx"
import { DataTable } from "../parts/DataTable.tsx"
import styles from "../operator.module.css"

/** More would not help to find the cause. */
const most = 200

export const Differences = ({ differences }: Pick<AuditReport, "differences">) => (
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
