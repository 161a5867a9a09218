import type { Entry } from "@tollgate/contract/admin/Account"
import type { UseLoad } from "@tollgate/react"
import { usdColumn } from "../../../ui/amounts.ts"
import { Card, Empty, Skeleton } from "../../../ui/kit.tsx"
import { fullTime } from "../../../ui/times.ts"
import { Failure } from "../parts/Failure.tsx"
import { DataTable } from "../parts/DataTable.tsx"
import styles from "../operator.module.css"

const kinds: Readonly<Record<string, string>> = {
  topup: "Top-up",
  adjustment: "Adjustment",
  credit: "Credit",
  reversal: "Reversal",
  refund: "Refund"
}

interface RowProps {
  readonly entry: Entry
  readonly usd: ReturnType<typeof usdColumn>
}

const Row = ({ entry, usd }: RowProps) => (
  <tr>
    <td data-label="Time" className="soft">
      <time dateTime={entry.at}>{fullTime(entry.at)}</time>
    </td>
    <td data-label="Kind">{kinds[entry.kind] ?? entry.kind}</td>
    <td data-label="Note" className={styles.note}>
      {entry.note === "" ? <span className="soft">–</span> : entry.note}
      {entry.call === undefined ? null : <span className="mono soft"> {entry.call}</span>}
    </td>
    <td data-label="Id" className={`mono soft ${styles.id}`} title={entry.id}>
      {entry.id}
    </td>
    <td data-label="Amount" className="number">
      {usd(entry.amount_micros_usd)}
    </td>
  </tr>
)

/** What was paid, credited and debited. */
export const EntriesCard = ({
  entries
}: {
  readonly entries: UseLoad<{ readonly entries: ReadonlyArray<Entry> }, unknown>
}) => {
  const usd = usdColumn(entries.value?.entries.map((entry) => entry.amount_micros_usd) ?? [])
  return (
    <Card title="Entries" flush>
      {entries.error === undefined ? null : <Failure error={entries.error} retry={entries.refresh} />}
      {entries.value === undefined ? (
        entries.error === undefined ? (
          <div className={styles.inside}>
            <Skeleton lines={3} />
          </div>
        ) : null
      ) : entries.value.entries.length === 0 ? (
        <Empty title="No entries yet" />
      ) : (
        <DataTable label="Entries" columns={["Time", "Kind", "Note", "Id", { number: "Amount" }]}>
          {entries.value.entries.map((entry) => (
            <Row key={entry.id} entry={entry} usd={usd} />
          ))}
        </DataTable>
      )}
    </Card>
  )
}
