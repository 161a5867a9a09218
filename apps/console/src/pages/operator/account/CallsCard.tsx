import { accountCalls } from "@tollgate/client/admin"
import type { LoggedCall } from "@tollgate/contract/account/LoggedCall"
import type { Entry } from "@tollgate/contract/admin/Account"
import { useLoad } from "@tollgate/react"
import { useEffect, useMemo, useRef, useState } from "react"
import { chargedUsd, columnUsd, count } from "../../../ui/amounts.ts"
import { Button, Card, Empty, Skeleton } from "../../../ui/kit.tsx"
import { fullTime } from "../../../ui/times.ts"
import { tookText } from "../../calls/CallRow.tsx"
import { StateTag } from "../../calls/StateTag.tsx"
import { hasFailed } from "../../calls/states.ts"
import { failureLine } from "../../calls/WhyFailed.tsx"
import styles from "../operator.module.css"
import { DataTable } from "../parts/DataTable.tsx"
import { Failure } from "../parts/Failure.tsx"
import { CallStory } from "./CallStory.tsx"

interface CallTableProps {
  readonly calls: ReadonlyArray<LoggedCall>
  readonly onOpen: (call: string) => void
}

const Row = ({ call, onOpen }: { readonly call: LoggedCall; readonly onOpen: (call: string) => void }) => (
  <tr>
    <th scope="row" className={styles.name}>
      <span>{call.operation}</span>
      <span className="mono soft">{call.model ?? call.id}</span>
      {hasFailed(call) ? <span className={styles.failure}>{failureLine(call)}</span> : null}
    </th>
    <td data-label="Status">
      <StateTag call={call} />
    </td>
    <td data-label="Time" className="soft">
      <time dateTime={call.created_at}>{fullTime(call.created_at)}</time>
    </td>
    <td data-label="Duration" className={`number ${styles.extra}`}>
      {tookText(call)}
    </td>
    <td data-label="Tokens" className={`number ${styles.extra}`}>
      {count(call.input_tokens + call.output_tokens)}
    </td>
    <td data-label="Key" className={styles.extra}>
      {call.key_label === "" ? <span className="mono">{call.key}</span> : call.key_label}
    </td>
    <td data-label="Charge" className="number">
      {chargedUsd(call.charged_micros_usd, call.charged_nano_usd, columnUsd)}
    </td>
    <td>
      <div className={styles.actions}>
        <Button onClick={() => onOpen(call.id)} aria-label={`What happened in ${call.id}`}>
          What happened
        </Button>
      </div>
    </td>
  </tr>
)

const CallTable = ({ calls, onOpen }: CallTableProps) => (
  <DataTable
    label="Latest calls"
    columns={[
      "Call",
      "Status",
      "Time",
      { number: "Duration", isExtra: true },
      { number: "Tokens", isExtra: true },
      { extra: "Key" },
      { number: "Charge" },
      "Actions"
    ]}
  >
    {calls.map((call) => (
      <Row key={call.id} call={call} onOpen={onOpen} />
    ))}
  </DataTable>
)

const fewest = 10
const most = 200

interface CallsCardProps {
  readonly account: string
  /** Some of them refund calls. */
  readonly entries: ReadonlyArray<Entry>
  readonly onRefunded: () => void
  /** There are other calls than before, or one of them ended. */
  readonly onChange: () => void
}

/** The newest calls of the account. */
export const CallsCard = ({ account, entries, onChange, onRefunded }: CallsCardProps) => {
  const [limit, setLimit] = useState(fewest)
  const [chosen, setChosen] = useState<string>()
  const load = useMemo(() => accountCalls(account, { limit }), [account, limit])
  const { error, refresh, value } = useLoad(load, { every: "5 seconds", keep: true })
  const newest = value?.calls
    .slice(0, fewest)
    .map(({ ended_at, id }) => `${id} ${ended_at}`)
    .join()
  const known = useRef<string>(undefined)
  useEffect(() => {
    if (known.current !== undefined && known.current !== newest) onChange()
    known.current = newest
  }, [newest, onChange])
  return (
    <>
      <CallStory
        account={account}
        call={chosen}
        refund={chosen === undefined ? undefined : entries.find(({ call }) => call === chosen)}
        onClose={() => setChosen(undefined)}
        onRefunded={onRefunded}
      />
      <Card title="Latest calls" flush>
        {error === undefined ? null : <Failure error={error} retry={refresh} />}
        {value === undefined ? (
          error === undefined ? (
            <div className={styles.inside}>
              <Skeleton lines={5} />
            </div>
          ) : null
        ) : value.calls.length === 0 ? (
          <Empty title="No calls yet" />
        ) : (
          <CallTable calls={value.calls} onOpen={setChosen} />
        )}
        {value === undefined || value.next === null || limit >= most ? null : (
          <p className={styles.more}>
            <span className="soft small">The newest {limit}</span>
            <Button onClick={() => setLimit(most)}>Show more</Button>
          </p>
        )}
      </Card>
    </>
  )
}
