import { accountCalls, accountCallStory, refundCall } from "@tollgate/client/admin"
import type { LoggedCall } from "@tollgate/contract/account/LoggedCall"
import type { Entry } from "@tollgate/contract/admin/Account"
import type { OperatorCallStory } from "@tollgate/contract/admin/Margin"
import { listWords } from "@tollgate/contract/callWords"
import { Refund } from "@tollgate/contract/admin/Terms"
import { type UseLoad, useLoad } from "@tollgate/react"
import { useEffect, useMemo, useRef, useState } from "react"
import { microsOf, nanoUsd, usd } from "../../../ui/amounts.ts"
import { ChangeDialog } from "../../../ui/ChangeDialog.tsx"
import { Dialog } from "../../../ui/form.tsx"
import { Button, Card, Copy, Empty, Loaded, Skeleton, Timeline, type TimelineEvent } from "../../../ui/kit.tsx"
import { usdText } from "../../../ui/parseUsd.ts"
import { type Column, Table } from "../../../ui/Table.tsx"
import { OtherFacts } from "../../calls/CallFacts.tsx"
import { WhyFailed, callColumns } from "../../calls/callParts.tsx"
import { storyOf } from "../../calls/story.ts"
import styles from "../operator.module.css"

const columnsOf = (onOpen: (call: string) => void): ReadonlyArray<Column<LoggedCall>> => [
  // The upstream is among the details.
  ...callColumns(({ operation }) => <span>{operation}</span>).filter(({ head }) => head !== listWords.upstream),
  {
    head: "Actions",
    kind: "actions",
    cell: ({ id }) => (
      <Button onClick={() => onOpen(id)} aria-label={`Details of ${id}`}>
        Details
      </Button>
    )
  }
]

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

const refunded = ({ amount_micros_usd, at, note }: Entry): TimelineEvent => ({
  title: `${usd(amount_micros_usd)} refunded`,
  text: note,
  at
})

interface StoryProps {
  readonly call: string
  readonly story: UseLoad<OperatorCallStory, unknown>
  /** The entry that refunds it. */
  readonly refund: Entry | undefined
  readonly onRefund: () => void
}

/** All that the ledger knows of one call. */
const Story = ({ call, onRefund, refund, story }: StoryProps) => (
  <>
    <p>
      <code>{call}</code> <Copy text={call} label="Copy id" />
    </p>
    <Loaded of={story} loading={<Skeleton lines={8} />}>
      {(value) => (
        <>
          <WhyFailed call={value} linksTask={false} />
          <CostLine call={value} />
          <OtherFacts call={value} />
          <Timeline events={[...storyOf(value), ...(refund === undefined ? [] : [refunded(refund)])]} />
          <p className="soft small">Prompts and answers are not stored.</p>
          {refund === undefined && microsOf(value.charged_micros_usd) > 0n ? (
            <div className="row">
              <Button onClick={onRefund}>Refund this call</Button>
            </div>
          ) : null}
        </>
      )}
    </Loaded>
  </>
)

interface CallDialogsProps extends Pick<CallsCardProps, "account" | "entries" | "onRefunded"> {
  readonly call: string
  readonly open: boolean
  readonly onClose: () => void
}

/** The story of a call, and giving back its charge or a part of it. */
const CallDialogs = ({ account, call, entries, onClose, onRefunded, open }: CallDialogsProps) => {
  const story = useLoad(useMemo(() => accountCallStory(account, call), [account, call]))
  const [refunds, setRefunds] = useState(false)
  const charged = microsOf(story.value?.charged_micros_usd ?? 0)
  return (
    <>
      <Dialog title="Details" open={open && !refunds} onClose={refunds ? () => {} : onClose}>
        <Story
          call={call}
          story={story}
          refund={entries.find((entry) => entry.call === call)}
          onRefund={() => setRefunds(true)}
        />
      </Dialog>
      <ChangeDialog
        title="Refund a call"
        open={open && refunds}
        onClose={() => setRefunds(false)}
        schema={Refund}
        fields={{
          amount_micros_usd: {
            label: "Amount in USD",
            hint: "All or part of the charge. Usage reports and budgets do not change.",
            kind: "usd",
            initial: usdText(charged),
            required: true
          },
          note: { label: "Reason", hint: "For your records. The account's transactions show it.", required: true }
        }}
        assemble={(values) => ({ ...values, call })}
        check={({ amount_micros_usd: amount }) => ({
          amount_micros_usd:
            Number(amount) > charged ? `The call was charged ${usd(charged)}. A refund cannot be more.` : undefined
        })}
        // The amount is filled in.
        focus="note"
        submit={({ amount_micros_usd: amount }) =>
          typeof amount === "number" ? `Refund ${usd(BigInt(amount))}` : "Refund"
        }
        afterFailure="You can safely send it again. It is booked once."
        run={(refund) => refundCall(account, refund)}
        done={(after, { amount_micros_usd: amount = 0 }) => {
          onClose()
          onRefunded()
          return `Refunded ${usd(amount)}. The balance is ${usd(after.balance_micros_usd)}.`
        }}
      >
        <p>
          <code>{call}</code> was charged {usd(charged)}. A call is refunded once: this cannot be changed afterwards.
        </p>
      </ChangeDialog>
    </>
  )
}

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
  const [open, setOpen] = useState(false)
  const load = useMemo(() => accountCalls(account, { limit }), [account, limit])
  const loaded = useLoad(load, { every: "5 seconds", keep: true })
  const newest = loaded.value?.calls
    .slice(0, fewest)
    .map(({ ended_at, id }) => `${id} ${ended_at}`)
    .join()
  const known = useRef<string>(undefined)
  useEffect(() => {
    if (known.current !== undefined && known.current !== newest) onChange()
    known.current = newest
  }, [newest, onChange])
  const columns = columnsOf((call) => {
    setChosen(call)
    setOpen(true)
  })
  return (
    <>
      {chosen === undefined ? null : (
        <CallDialogs
          account={account}
          call={chosen}
          entries={entries}
          open={open}
          onClose={() => setOpen(false)}
          onRefunded={onRefunded}
        />
      )}
      <Card title="Latest calls" flush>
        <Loaded of={loaded} loading={<Skeleton lines={5} />}>
          {({ calls, next }) => (
            <>
              <Table
                label="Latest calls"
                columns={columns}
                rows={calls}
                keyOf={({ id }) => id}
                empty={<Empty title="No calls yet" />}
              />
              {next === null || limit >= most ? null : (
                <p className={styles.more}>
                  <span className="soft small">The newest {limit}</span>
                  <Button onClick={() => setLimit(most)}>Show more</Button>
                </p>
              )}
            </>
          )}
        </Loaded>
      </Card>
    </>
  )
}
