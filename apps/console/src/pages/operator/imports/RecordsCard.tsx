import type { ImportRecord } from "@tollgate/contract/admin/Import"
import { count } from "../../../ui/amounts.ts"
import { Card } from "../../../ui/kit.tsx"
import { fullTime } from "../../../ui/times.ts"
import { changeStates } from "../parts/changeStates.tsx"
import { DataTable } from "../parts/DataTable.tsx"

/** When APIs were added, and by whom. Nothing is shown while there is none. */
export const RecordsCard = ({ records }: { readonly records: ReadonlyArray<ImportRecord> }) =>
  records.length === 0 ? null : (
    <Card title="Added APIs" flush>
      <DataTable
        label="Added APIs"
        columns={["Time", "State", "Upstream", { number: "Operations" }, "Sent from", "Note"]}
      >
        {records.map(({ address, at, id, note, operations, state, upstream }) => (
          <tr key={id}>
            <th scope="row">{fullTime(at)}</th>
            <td data-label="State">{changeStates[state]}</td>
            <td data-label="Upstream">{upstream}</td>
            <td data-label="Operations" className="number">
              {count(operations)}
            </td>
            <td data-label="Sent from" className="mono">
              {address}
            </td>
            <td data-label="Note">{note}</td>
          </tr>
        ))}
      </DataTable>
    </Card>
  )
