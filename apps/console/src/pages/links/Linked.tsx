import { unlink } from "@tollgate/client/account"
import type { LinkState } from "@tollgate/contract/account/Access"
import { useCall } from "@tollgate/react"
import { useEffect, useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { fullTime } from "../../ui/times.ts"
import styles from "./links.module.css"

/** What is linked, and how to forget it. */
export const Linked = ({ link, onUnlinked }: { readonly link: LinkState; readonly onUnlinked: () => void }) => {
  const [asks, setAsks] = useState(false)
  const { call, error, state } = useCall(unlink)
  useEffect(() => {
    if (state !== "done") return
    setAsks(false)
    onUnlinked()
  }, [state, onUnlinked])
  return (
    <>
      <dl className="facts">
        <dt>Since</dt>
        <dd>{link.linked_at === null ? "unknown" : fullTime(link.linked_at)}</dd>
        <dt>Allowed</dt>
        <dd>
          {link.scopes.length === 0 ? (
            "what the platform allows by default"
          ) : (
            <ul className={styles["scopes"]}>
              {link.scopes.map((scope) => (
                <li key={scope}>
                  <code>{scope}</code>
                </li>
              ))}
            </ul>
          )}
        </dd>
      </dl>
      <Button kind="danger" onClick={() => setAsks(true)}>
        Unlink
      </Button>
      <Dialog title="Unlink the account?" open={asks} onClose={() => setAsks(false)}>
        <p>Operations that write to {link.platform} are refused from then on. What they wrote stays there.</p>
        {error === undefined ? null : <ErrorNotice error={error} />}
        <div className="row">
          <Button onClick={() => setAsks(false)}>Keep it</Button>
          <Button kind="danger" busy={state === "pending"} onClick={() => call(undefined)}>
            Unlink
          </Button>
        </div>
      </Dialog>
    </>
  )
}
