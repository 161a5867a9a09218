import { accountCallStory } from "@tollgate/client/admin"
import { useLoad } from "@tollgate/react"
import { useMemo } from "react"
import { Copy } from "../../../ui/Copy.tsx"
import { Dialog } from "../../../ui/Dialog.tsx"
import { Skeleton } from "../../../ui/Skeleton.tsx"
import { storyOf } from "../../calls/story.ts"
import { Timeline } from "../../calls/Timeline.tsx"
import { Failure } from "../parts/Failure.tsx"

const Content = ({ account, call }: { readonly account: string; readonly call: string }) => {
  const { error, refresh, value } = useLoad(useMemo(() => accountCallStory(account, call), [account, call]))
  return (
    <>
      <p>
        <code>{call}</code> <Copy text={call} label="Copy id" />
      </p>
      {error === undefined ? null : <Failure error={error} retry={refresh} />}
      {value === undefined ? error === undefined ? <Skeleton lines={8} /> : null : <Timeline events={storyOf(value)} />}
      <p className="soft small">No bodies are stored.</p>
    </>
  )
}

interface CallStoryProps {
  readonly account: string
  readonly call: string | undefined
  readonly onClose: () => void
}

/** All that the ledger knows of one call. */
export const CallStory = ({ account, call, onClose }: CallStoryProps) => (
  <Dialog title="What happened" open={call !== undefined} onClose={onClose}>
    {call === undefined ? null : <Content account={account} call={call} />}
  </Dialog>
)
