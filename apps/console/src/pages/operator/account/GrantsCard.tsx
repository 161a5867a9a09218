import { grants as readGrants, revokeGrant } from "@tollgate/client/admin"
import type { Grant } from "@tollgate/contract/admin/Grant"
import { useLoad } from "@tollgate/react"
import { useState } from "react"
import { Card } from "../../../ui/Card.tsx"
import { Empty } from "../../../ui/Empty.tsx"
import { Skeleton } from "../../../ui/Skeleton.tsx"
import { Failure } from "../parts/Failure.tsx"
import { Form, FormDialog } from "../parts/FormDialog.tsx"
import { useSay } from "../parts/Say.tsx"
import { useChange } from "../parts/useChange.ts"
import styles from "../operator.module.css"
import { GrantTable } from "./GrantTable.tsx"

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
      say(`${grant.client_name} was shut out.`)
    })
  return (
    <>
      <FormDialog title="Revoke the grant" open={chosen !== undefined} change={change} onClose={close}>
        {chosen === undefined ? null : (
          <Form change={change} onClose={close} onSubmit={() => revoke(chosen)} submit="Revoke the grant" danger>
            <p>
              <strong>{chosen.client_name}</strong> loses all its tokens at once. It can ask to be let in again.
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
          <Empty title="No program was let in by OAuth" />
        ) : (
          <GrantTable grants={own} onRevoke={setChosen} />
        )}
      </Card>
    </>
  )
}
