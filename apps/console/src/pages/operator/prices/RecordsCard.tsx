import { priceRecord } from "@tollgate/client/admin"
import type { PriceRecord } from "@tollgate/contract/admin/Prices"
import { useLoad } from "@tollgate/react"
import { useMemo, useState } from "react"
import { count } from "../../../ui/amounts.ts"
import { Button, Card, Skeleton } from "../../../ui/kit.tsx"
import { Dialog } from "../../../ui/form.tsx"
import { fullTime } from "../../../ui/times.ts"
import styles from "../operator.module.css"
import { changeStates } from "../parts/changeStates.tsx"
import { DataTable } from "../parts/DataTable.tsx"
import { Failure } from "../parts/Failure.tsx"
import { PriceChanges } from "./PriceChanges.tsx"

const Details = ({ id }: { readonly id: string }) => {
  const { error, refresh, value } = useLoad(useMemo(() => priceRecord(id), [id]))
  if (error !== undefined) return <Failure error={error} retry={refresh} />
  return value === undefined ? (
    <Skeleton lines={3} />
  ) : (
    <PriceChanges changes={value.changes} columns={["Before", "After"]} />
  )
}

/** When prices were applied, and by whom. Nothing is shown while there is none. */
export const RecordsCard = ({ records }: { readonly records: ReadonlyArray<PriceRecord> }) => {
  const [open, setOpen] = useState<string>()
  const close = () => setOpen(undefined)
  if (records.length === 0) return null
  return (
    <Card title="Applied prices" flush>
      <Dialog title="Applied prices" open={open !== undefined} onClose={close}>
        {open === undefined ? null : <Details id={open} />}
        <div className="row">
          <Button onClick={close}>Close</Button>
        </div>
      </Dialog>
      <DataTable
        label="Applied prices"
        columns={["Time", "State", { number: "Prices" }, "Sent from", "Note", "Actions"]}
      >
        {records.map(({ address, at, changed, id, note, state }) => (
          <tr key={id}>
            <th scope="row">{fullTime(at)}</th>
            <td data-label="State">{changeStates[state]}</td>
            <td data-label="Prices" className="number">
              {count(changed)}
            </td>
            <td data-label="Sent from" className="mono">
              {address}
            </td>
            <td data-label="Note">{note}</td>
            <td>
              <div className={styles.actions}>
                <Button onClick={() => setOpen(id)} aria-label={`Show the prices of ${fullTime(at)}`}>
                  Show
                </Button>
              </div>
            </td>
          </tr>
        ))}
      </DataTable>
    </Card>
  )
}
