import { grants as readGrants, revokeGrant } from "@tollgate/client/admin"
import type { Grant } from "@tollgate/contract/admin/Grant"
import { useLoad } from "@tollgate/react"
import { useState } from "react"
import { shortUsd, usd } from "../../../ui/amounts.ts"
import { Button } from "../../../ui/Button.tsx"
import { Card } from "../../../ui/Card.tsx"
import { Empty } from "../../../ui/Empty.tsx"
import { Skeleton } from "../../../ui/Skeleton.tsx"
import { Tag } from "../../../ui/Tag.tsx"
import styles from "../operator.module.css"
import { DataTable } from "../parts/DataTable.tsx"
import { dateOnly } from "../../../ui/times.ts"
import { Failure } from "../parts/Failure.tsx"
import { Form, FormDialog } from "../parts/FormDialog.tsx"
import { useSay } from "../parts/Say.tsx"
import { useChange } from "../parts/useChange.ts"

interface GrantTableProps {
  readonly grants: ReadonlyArray<Grant>
  readonly onRevoke: (grant: Grant) => void
}

const GrantTable = ({ grants, onRevoke }: GrantTableProps) => (
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

const load = readGrants()

/** Programs that people of this account let in. */
export const GrantsCard = ({ account }: { readonly account: string }) => {
  const { error, refresh, value } = useLoad(load)
  const [chosen, setChosen] = useState<Grant>()
  const change = useChange()
  const say = useSay()
  const close = () => setChosen(undefined)
  const own = value?.grants.filter((grant) => grant.account === account)
  const revoke = (grant: Grant) =>
    change.run(revokeGrant(grant.id), () => {
      close()
      refresh()
      say(`${grant.client_name} no longer has access.`)
    })
  return (
    <>
      <FormDialog title="Revoke the grant" open={chosen !== undefined} change={change} onClose={close}>
        {chosen === undefined ? null : (
          <Form change={change} onClose={close} onSubmit={() => revoke(chosen)} submit="Revoke the grant" danger>
            <p>
              <strong>{chosen.client_name}</strong> loses all its tokens at once. It can ask for access again.
            </p>
          </Form>
        )}
      </FormDialog>
      <Card title="Grants" flush>
        {error === undefined ? null : <Failure error={error} retry={refresh} />}
        {own === undefined ? (
          error === undefined ? (
            <div className={styles.inside}>
              <Skeleton lines={2} />
            </div>
          ) : null
        ) : own.length === 0 ? (
          <Empty title="No app has access by OAuth" />
        ) : (
          <GrantTable grants={own} onRevoke={setChosen} />
        )}
      </Card>
    </>
  )
}
