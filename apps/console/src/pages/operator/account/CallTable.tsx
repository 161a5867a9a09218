import type { LoggedCall } from "@tollgate/contract/account/LoggedCall"
import { count, usd } from "../../../ui/amounts.ts"
import { Button } from "../../../ui/Button.tsx"
import { fullTime } from "../../../ui/times.ts"
import { tookText } from "../../calls/CallRow.tsx"
import { StateTag } from "../../calls/StateTag.tsx"
import { DataTable } from "../parts/DataTable.tsx"
import styles from "../operator.module.css"

interface CallTableProps {
  readonly calls: ReadonlyArray<LoggedCall>
  readonly onOpen: (call: string) => void
}

const Row = ({ call, onOpen }: { readonly call: LoggedCall; readonly onOpen: (call: string) => void }) => (
  <tr>
    <th scope="row" className={styles.name}>
      <span>{call.operation}</span>
      <span className="mono soft">{call.model ?? call.id}</span>
    </th>
    <td data-label="Status">
      <StateTag call={call} />
    </td>
    <td data-label="Began" className="soft">
      <time dateTime={call.created_at}>{fullTime(call.created_at)}</time>
    </td>
    <td data-label="Took" className={`number ${styles.extra}`}>
      {tookText(call)}
    </td>
    <td data-label="Tokens" className={`number ${styles.extra}`}>
      {count(call.input_tokens + call.output_tokens)}
    </td>
    <td data-label="Key" className={styles.extra}>
      {call.key_label === "" ? <span className="mono">{call.key}</span> : call.key_label}
    </td>
    <td data-label="Charge" className="number">
      {usd(call.charged_micros_usd)}
    </td>
    <td>
      <div className={styles.actions}>
        <Button onClick={() => onOpen(call.id)} aria-label={`What happened in ${call.id}`}>
          Story
        </Button>
      </div>
    </td>
  </tr>
)

export const CallTable = ({ calls, onOpen }: CallTableProps) => (
  <DataTable
    label="Latest calls"
    columns={[
      "Call",
      "Status",
      "Began",
      { number: "Took" },
      { number: "Tokens" },
      "Key",
      { number: "Charge" },
      "Actions"
    ]}
  >
    {calls.map((call) => (
      <Row key={call.id} call={call} onOpen={onOpen} />
    ))}
  </DataTable>
)
