import { Button } from "../../ui/Button.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { duration } from "../../ui/times.ts"
import { useNow } from "../../ui/useNow.ts"

export interface ApprovalProps {
  /** The platform's page. */
  readonly address: string
  readonly expiresAt: string | undefined
  /** Asks for another address. */
  readonly onAgain: () => void
}

/** A link that was started and waits for the person. */
export const Approval = ({ address, expiresAt, onAgain }: ApprovalProps) => {
  const now = useNow(1_000)
  const left = expiresAt === undefined ? undefined : new Date(expiresAt).getTime() - now
  if (left !== undefined && left <= 0)
    return (
      <Notice kind="warn" title="Nobody approved it in time">
        <p>The address of the platform’s page works no longer. Nothing was linked.</p>
        <Button onClick={onAgain}>Ask for another address</Button>
      </Notice>
    )
  return (
    <Notice title="Approve it on the platform’s page">
      <p>
        It opens in another tab, and this page notices when it is done. If you decline there, nothing changes here.
        {left === undefined ? null : (
          <span className="soft" aria-hidden="true">
            {` The address works for ${duration(left)}.`}
          </span>
        )}
      </p>
      <a className="button main" href={address} target="_blank" rel="noreferrer">
        Open the platform’s page
      </a>{" "}
      <Button kind="quiet" onClick={onAgain}>
        Start over
      </Button>
    </Notice>
  )
}
