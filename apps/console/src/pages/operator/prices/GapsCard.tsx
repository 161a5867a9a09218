import { gaps } from "@tollgate/client/admin"
import { useLoad } from "@tollgate/react"
import { count, usdColumn } from "../../../ui/amounts.ts"
import { Card, Notice } from "../../../ui/kit.tsx"
import { dateOnly, fullTime } from "../../../ui/times.ts"
import styles from "../operator.module.css"
import { DataTable } from "../parts/DataTable.tsx"
import { Failure } from "../parts/Failure.tsx"

const load = gaps()

const columns = ["Without a price", { number: "Calls" }, { number: "Charged" }, "First", "Last", "Such as"]

/** What calls used and no price covers. Nothing is shown while there is none. */
export const GapsCard = () => {
  const { error, refresh, value } = useLoad(load)
  if (error !== undefined) return <Failure error={error} retry={refresh} />
  if (value === undefined || value.gaps.length === 0) return null
  const usd = usdColumn(value.gaps.map((gap) => gap.charged_micros_usd))
  return (
    <Card title="Used without a price" flush>
      <Notice kind="warn" title="These are charged at the nearest price">
        <p>Add the missing names to the model's price. Until then they are listed here, for 30 days at most.</p>
      </Notice>
      <DataTable label="Used without a price" columns={columns}>
        {value.gaps.map((gap) => (
          <tr key={JSON.stringify([gap.operation, gap.model, gap.name])}>
            <th scope="row" className={styles.name}>
              <span className={`mono ${styles.wrap}`}>{gap.name}</span>
              <span className="mono soft">{gap.model ?? gap.operation}</span>
            </th>
            <td data-label="Calls" className="number">
              {count(gap.calls)}
            </td>
            <td data-label="Charged" className="number">
              {usd(gap.charged_micros_usd)}
            </td>
            <td data-label="First" className={styles.date} title={fullTime(gap.first_at)}>
              {dateOnly(gap.first_at)}
            </td>
            <td data-label="Last" className={styles.date} title={fullTime(gap.last_at)}>
              {dateOnly(gap.last_at)}
            </td>
            <td data-label="Such as" className="mono">
              {gap.example}
            </td>
          </tr>
        ))}
      </DataTable>
    </Card>
  )
}
