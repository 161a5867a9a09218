import { accountCallStory, refundCall } from "@tollgate/client/admin"
import type { Entry } from "@tollgate/contract/admin/Account"
import type { OperatorCallStory } from "@tollgate/contract/admin/Margin"
import type { Refund } from "@tollgate/contract/admin/Terms"
import { useLoad } from "@tollgate/react"
import { useMemo, useState } from "react"
import { microsOf, nanoUsd, usd } from "../../../ui/amounts.ts"
import { Button, Copy, Skeleton } from "../../../ui/kit.tsx"
import { type StoryEvent, storyOf } from "../../calls/story.ts"
import { Timeline } from "../../calls/Timeline.tsx"
import { WhyFailed } from "../../calls/WhyFailed.tsx"
import { Failure } from "../parts/Failure.tsx"
import { FormDialog } from "../parts/FormDialog.tsx"
import { useSay } from "../parts/Say.tsx"
import { useChange } from "../parts/useChange.ts"
import { RefundForm } from "./RefundForm.tsx"

/** What only operators see of a call. */
const CostLine = ({ call }: { readonly call: OperatorCallStory }) => {
  if (call.state !== "settled") return null
  return call.cost_nano_usd === null || call.margin_nano_usd === null ? (
    <p className="soft">Cost not known: the upstream has no price for this call.</p>
  ) : (
    <p>
      Cost {nanoUsd(call.cost_nano_usd)}, margin {nanoUsd(call.margin_nano_usd)}
    </p>
  )
}

const refunded = ({ amount_micros_usd, at, note }: Entry): StoryEvent => ({
  title: `${usd(amount_micros_usd)} refunded`,
  text: note,
  at
})

interface ContentProps {
  readonly call: string
  readonly story: ReturnType<typeof useStory>
  readonly refund: Entry | undefined
  readonly onRefund: () => void
}

const useStory = (account: string, call: string) =>
  useLoad(useMemo(() => accountCallStory(account, call), [account, call]))

const Content = ({ call, onRefund, refund, story: { error, refresh, value } }: ContentProps) => (
  <>
    <p>
      <code>{call}</code> <Copy text={call} label="Copy id" />
    </p>
    {error === undefined ? null : <Failure error={error} retry={refresh} />}
    {value !== undefined ? (
      <>
        <WhyFailed call={value} linksTask={false} />
        <CostLine call={value} />
        <Timeline events={[...storyOf(value), ...(refund === undefined ? [] : [refunded(refund)])]} />
      </>
    ) : error === undefined ? (
      <Skeleton lines={8} />
    ) : null}
    <p className="soft small">No bodies are stored.</p>
    {value !== undefined && refund === undefined && microsOf(value.charged_micros_usd) > 0n ? (
      <div className="row">
        <Button onClick={onRefund}>Refund this call</Button>
      </div>
    ) : null}
  </>
)

interface StepsProps extends Omit<CallStoryProps, "call" | "onRefunded"> {
  readonly call: string
  readonly change: ReturnType<typeof useChange>
  readonly isRefunding: boolean
  readonly setRefunding: (isRefunding: boolean) => void
  readonly onRefund: (refund: Refund) => void
}

const Steps = ({ account, call, change, isRefunding, onRefund, refund, setRefunding }: StepsProps) => {
  const story = useStory(account, call)
  const back = () => {
    change.dismiss()
    setRefunding(false)
  }
  return isRefunding && story.value !== undefined ? (
    <RefundForm call={story.value} change={change} onRefund={onRefund} onClose={back} />
  ) : (
    <Content call={call} story={story} refund={refund} onRefund={() => setRefunding(true)} />
  )
}

interface CallStoryProps {
  readonly account: string
  readonly call: string | undefined
  /** The entry that refunds it. */
  readonly refund: Entry | undefined
  readonly onClose: () => void
  readonly onRefunded: () => void
}

/** All that the ledger knows of one call. A charge can be given back here. */
export const CallStory = ({ account, call, onClose, onRefunded, refund }: CallStoryProps) => {
  const change = useChange()
  const say = useSay()
  const [isRefunding, setRefunding] = useState(false)
  const close = () => {
    setRefunding(false)
    onClose()
  }
  const book = (body: Refund) =>
    change.run(refundCall(account, body), (after) => {
      close()
      onRefunded()
      say(`Refunded ${usd(body.amount_micros_usd ?? 0)}. The balance is ${usd(after.balance_micros_usd)}.`)
    })
  return (
    <FormDialog
      title={isRefunding ? "Refund a call" : "What happened"}
      open={call !== undefined}
      change={change}
      onClose={close}
    >
      {call === undefined ? null : (
        <Steps
          account={account}
          call={call}
          refund={refund}
          change={change}
          isRefunding={isRefunding}
          setRefunding={setRefunding}
          onRefund={book}
          onClose={close}
        />
      )}
    </FormDialog>
  )
}
