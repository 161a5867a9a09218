import { revokeGrant } from "@tollgate/client/account"
import type { GivenGrant } from "@tollgate/contract/account/Access"
import { useCall } from "@tollgate/react"
import { useEffect, useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"

export interface TakeBackProps {
  readonly grant: GivenGrant
  readonly onRevoked: () => void
}

/** Ends a grant, after a question. */
export const TakeBack = ({ grant, onRevoked }: TakeBackProps) => {
  const [asks, setAsks] = useState(false)
  const { call, error, state } = useCall(revokeGrant)
  useEffect(() => {
    if (state !== "done") return
    setAsks(false)
    onRevoked()
  }, [state, onRevoked])
  return (
    <>
      <Button kind="danger" onClick={() => setAsks(true)} aria-label={`Take back from ${grant.client_name}`}>
        Take back
      </Button>
      <Dialog title={`Take access back from ${grant.client_name}?`} open={asks} onClose={() => setAsks(false)}>
        <p>
          It stops at once. What it has spent stays charged. To let it in again, it has to ask again.
          {grant.own ? " This page uses it: you will be signed out." : ""}
        </p>
        {error === undefined ? null : <ErrorNotice error={error} />}
        <div className="row">
          <Button onClick={() => setAsks(false)}>Keep it</Button>
          <Button kind="danger" busy={state === "pending"} onClick={() => call(grant.id)}>
            Take back
          </Button>
        </div>
      </Dialog>
    </>
  )
}
