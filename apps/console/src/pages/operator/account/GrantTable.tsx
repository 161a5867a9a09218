import type { Grant } from "@tollgate/contract/admin/Grant"
import { shortUsd, usd } from "../../../ui/amounts.ts"
import { Button } from "../../../ui/Button.tsx"
import { Tag } from "../../../ui/Tag.tsx"
import { dateOnly } from "../parts/dates.ts"
import { DataTable } from "../parts/DataTable.tsx"
import styles from "../operator.module.css"

interface GrantTableProps {
  readonly grants: ReadonlyArray<Grant>
  readonly onRevoke: (grant: Grant) => void
}

export const GrantTable = ({ grants, onRevoke }: GrantTableProps) => (
  <DataTable label="Grants" columns={["Program", "State", "May", { number: "Spent" }, { number: "Limit" }, "Actions"]}>
    {grants.map((grant) => (
      <tr key={grant.id}>
        <th scope="row" className={styles.name}>
          <span>{grant.client_name}</span>
          <span className="mono soft">{grant.id}</span>
        </th>
        <td data-label="State">
          {grant.ended ? <Tag kind="bad">Ended</Tag> : <Tag kind="good">Until {dateOnly(grant.ends_at)}</Tag>}
        </td>
        <td data-label="May">{grant.scopes.join(", ")}</td>
        <td data-label="Spent" className="number" title={usd(grant.spent_micros_usd)}>
          {shortUsd(grant.spent_micros_usd)}
        </td>
        <td data-label="Limit" className="number">
          {grant.limit_micros_usd === null ? <span className="soft">None</span> : usd(grant.limit_micros_usd)}
        </td>
        <td>
          {grant.ended ? null : (
            <div className={styles.actions}>
              <Button
                kind="danger"
                onClick={() => onRevoke(grant)}
                aria-label={`Revoke the grant of ${grant.client_name}`}
              >
                Revoke
              </Button>
            </div>
          )}
        </td>
      </tr>
    ))}
  </DataTable>
)
