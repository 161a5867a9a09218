import { limitState, offer } from "@tollgate/client/account"
import type { LimitState, RateState } from "@tollgate/contract/account/LimitState"
import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { formatUsd } from "@tollgate/contract/Money"
import { allowances, growthFrom } from "@tollgate/contract/Tier"
import { useLoad } from "@tollgate/react/effect"
import { useProfile } from "../../session/useProfile.ts"
import { count } from "../../ui/amounts.ts"
import { Card, Loaded, Page, Skeleton, Tag } from "../../ui/kit.tsx"
import { Meter } from "../../ui/Meter.tsx"
import { type Column, List, TableCard } from "../../ui/Table.tsx"
import styles from "./limits.module.css"

/** The operations of a limit group, in words. */
const groupName = (id: string): string => (id === "inference" ? "Conversations" : sentence(id.replaceAll("_", " ")))

interface RateProps {
  readonly label: string
  readonly now: number
  readonly rate: RateState
}

const RateMeter = ({ label, now, rate }: RateProps) => {
  const { full_at, limit, remaining } = rate
  const left = Math.max(0, remaining)
  // Whole seconds: tenths would flicker.
  const resets = `resets in ${Math.ceil((full_at - now) / 1_000)} s`
  return (
    <Meter
      label={label}
      used={limit - left}
      limit={limit}
      words={`${count(left)} of ${count(limit)} left`}
      note={full_at <= now ? "unused" : remaining <= 0 ? `limit reached, ${resets}` : resets}
    />
  )
}

interface SlotsProps {
  readonly label: string
  readonly slots: { readonly limit: number; readonly running: number }
  /** What takes them. */
  readonly what: string
}

const SlotsMeter = ({ label, slots: { limit, running }, what }: SlotsProps) => (
  <Meter
    label={label}
    used={running}
    limit={limit}
    words={`${count(running)} of ${count(limit)} running`}
    note={running >= limit ? "limit reached, until one of them ends" : what}
  />
)

/** All limits of a key, those of single operations last. */
const Meters = ({ concurrency, groups, now, requests, tasks, tokens }: LimitState) => (
  <>
    <Card>
      <div className={styles["meters"]}>
        <RateMeter label="Requests per minute" rate={requests} now={now} />
        <RateMeter label="Tokens per minute" rate={tokens} now={now} />
        <SlotsMeter label="Calls at once" slots={concurrency} what="streams and long calls" />
        {tasks.limit === 0 ? null : <SlotsMeter label="Tasks at once" slots={tasks} what="videos" />}
      </div>
    </Card>
    {groups.length === 0 ? null : (
      <Card title="Requests per minute of single operations">
        <div className={styles["meters"]}>
          {groups.map((group) => (
            <RateMeter key={group.id} label={groupName(group.id)} rate={group} now={now} />
          ))}
        </div>
      </Card>
    )}
  </>
)

type Tier = readonly [
  name: string,
  allowance: { readonly [N in "rpm" | "tpm" | "concurrency"]: number } | undefined,
  how: string
]

const tiers: ReadonlyArray<Tier> = [
  ["Free", allowances.Free, "Every new account."],
  ["Starter", allowances.Starter, "Top up any amount."],
  ["Growth", allowances.Growth, `Top up $${formatUsd(growthFrom)} in total.`],
  ["Enterprise", undefined, "Agree on it with the operator."]
]

const tierColumn = (head: string, name: "rpm" | "tpm" | "concurrency"): Column<Tier> => ({
  head,
  kind: "number",
  cell: ([, allowance]) => (allowance === undefined ? "agreed" : count(allowance[name]))
})

const Tiers = ({ tier }: { readonly tier: string }) => (
  <TableCard
    title="Tiers"
    columns={[
      {
        head: "Tier",
        kind: "name",
        cell: ([name]) => (
          <span>
            {name} {name === tier ? <Tag kind="accent">yours</Tag> : null}
          </span>
        )
      },
      tierColumn("Requests/min", "rpm"),
      tierColumn("Tokens/min", "tpm"),
      tierColumn("Calls at once", "concurrency"),
      { head: "How to get it", cell: ([, , how]) => how }
    ]}
    rows={tiers}
    keyOf={([name]) => name}
    rowProps={([name]) => (name === tier ? { "aria-current": "true" } : {})}
  />
)

type Further = readonly [limits: string, operations: ReadonlyArray<string>]

const byLimits = (operations: ReadonlyArray<OfferedOperation>): ReadonlyArray<Further> => {
  const further = ({ limits }: OfferedOperation) => /; in addition (.*)$/.exec(limits)?.[1]
  return [...Map.groupBy(operations, further)]
    .flatMap(([limits, found]) => (limits === undefined ? [] : [[limits, found.map(({ id }) => id)] as const]))
    .toSorted(([, a], [, b]) => a.length - b.length)
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`

const furtherColumns: ReadonlyArray<Column<Further>> = [
  { head: "Also counts towards", kind: "name", className: styles["counts"], cell: ([limits]) => sentence(limits) },
  {
    head: "Operations",
    className: styles["ids"],
    cell: ([, ids]) => (
      <span>
        {ids.map((id) => (
          <code key={id}>{id}</code>
        ))}
      </span>
    )
  }
]

const loadOffer = offer()

/** Which limits an operation counts towards beside the requests per minute. */
const OperationLimits = () => (
  <List
    title="Limits by operation"
    of={useLoad(loadOffer)}
    columns={furtherColumns}
    rows={({ operations }) => byLimits(operations)}
    keyOf={([limits]) => limits}
  />
)

const load = limitState()

export const LimitsPage = () => {
  const loaded = useLoad(load, { every: "1 second" })
  const { value: profile } = useProfile()
  const tier = profile?.account.tier
  return (
    <Page
      title="Limits"
      lead={`Rate limits of this ${profile?.credential.kind === "grant" ? "app" : "key"}${
        tier === undefined ? "" : ` (${tier} tier)`
      }. Our client waits and retries for you.`}
    >
      <Loaded of={loaded} loading={<Skeleton lines={6} />} stale="The limits below are the last that arrived.">
        {(limits) => <Meters {...limits} />}
      </Loaded>
      {tier === undefined ? null : (
        <>
          <Tiers tier={tier} />
          <OperationLimits />
        </>
      )}
    </Page>
  )
}
