import { grants as readGrants, revokeGrant } from "@tollgate/client/admin"
import type { MadeClient } from "@tollgate/contract/admin/Client"
import type { Grant } from "@tollgate/contract/admin/Grant"
import { useLoad } from "@tollgate/react"
import { useState } from "react"
import { usdColumn } from "../../../ui/amounts.ts"
import { Button, Card, Copy, Empty, Notice, Skeleton, Tag } from "../../../ui/kit.tsx"
import styles from "../operator.module.css"
import { DataTable } from "../parts/DataTable.tsx"
import { dateOnly } from "../../../ui/times.ts"
import { Failure } from "../parts/Failure.tsx"
import { Form, FormDialog } from "../parts/FormDialog.tsx"
import { useSay } from "../parts/Say.tsx"
import { useChange } from "../parts/useChange.ts"
import { CreateClient } from "./CreateClient.tsx"

interface GrantTableProps {
  readonly grants: ReadonlyArray<Grant>
  readonly onRevoke: (grant: Grant) => void
}

const GrantTable = ({ grants, onRevoke }: GrantTableProps) => {
  const spent = usdColumn(grants.map((grant) => grant.spent_micros_usd))
  const limit = usdColumn(grants.map((grant) => grant.limit_micros_usd))
  return (
    <DataTable label="Grants" columns={["App", "State", "May", { number: "Spent" }, { number: "Limit" }, "Actions"]}>
      {grants.map((grant) => (
        <tr key={grant.id}>
          <th scope="row" className={styles.name}>
            <span>
              {grant.client_name} {grant.machine ? <Tag>machine</Tag> : null}
            </span>
            <span className="mono soft">{grant.id}</span>
          </th>
          <td data-label="State">
            {grant.ended ? <Tag kind="bad">Ended</Tag> : <Tag kind="good">Until {dateOnly(grant.ends_at)}</Tag>}
          </td>
          <td data-label="May">{grant.scopes.join(", ")}</td>
          <td data-label="Spent" className="number">
            {spent(grant.spent_micros_usd)}
          </td>
          <td data-label="Limit" className="number">
            {grant.limit_micros_usd === null ? <span className="soft">None</span> : limit(grant.limit_micros_usd)}
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
}

const load = readGrants()

/** The only place where the secret of a client is ever shown. */
const NewClientNotice = ({ made, onDone }: { readonly made: MadeClient; readonly onDone: () => void }) => (
  <Notice kind="warn" title={`The new client ${made.client_name}`}>
    <p className={styles.secret}>
      <code>{made.client_id}</code>
      <Copy text={made.client_id} label="Copy the id" />
    </p>
    <p className={styles.secret}>
      <code>{made.client_secret}</code>
      <Copy text={made.client_secret} label="Copy the secret" />
    </p>
    <p>Store its id and its secret now. The secret is shown only once: the gateway keeps no readable copy.</p>
    <p>
      <Button onClick={onDone}>I have stored it</Button>
    </p>
  </Notice>
)

/** Programs that people of this account let in, and machines of the operator. */
export const GrantsCard = ({ account }: { readonly account: string }) => {
  const { error, refresh, value } = useLoad(load)
  const [chosen, setChosen] = useState<Grant>()
  const [creates, setCreates] = useState(false)
  const [made, setMade] = useState<ReadonlyArray<MadeClient>>([])
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
  const keep = (client: MadeClient) => {
    setMade((before) => [...before, client])
    refresh()
  }
  return (
    <>
      {made.map((client) => (
        <NewClientNotice
          key={client.id}
          made={client}
          onDone={() => setMade((before) => before.filter(({ id }) => id !== client.id))}
        />
      ))}
      <CreateClient account={account} open={creates} onClose={() => setCreates(false)} onDone={keep} />
      <FormDialog title="Revoke the grant" open={chosen !== undefined} change={change} onClose={close}>
        {chosen === undefined ? null : (
          <Form change={change} onClose={close} onSubmit={() => revoke(chosen)} submit="Revoke the grant" danger>
            <p>
              <strong>{chosen.client_name}</strong> loses all its tokens at once.{" "}
              {chosen.machine ? "It cannot return. Create another client instead." : "It can ask for access again."}
            </p>
          </Form>
        )}
      </FormDialog>
      <Card
        title="Grants"
        flush
        action={<Button onClick={() => setCreates(true)}>Create a client for a machine</Button>}
      >
        {error === undefined ? null : <Failure error={error} retry={refresh} />}
        {own === undefined ? (
          error === undefined ? (
            <div className={styles.inside}>
              <Skeleton lines={2} />
            </div>
          ) : null
        ) : own.length === 0 ? (
          <Empty title="No app has access yet" />
        ) : (
          <GrantTable grants={own} onRevoke={setChosen} />
        )}
      </Card>
    </>
  )
}
