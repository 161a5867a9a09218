import { createKey, keys } from "@tollgate/client/account"
import type { Amount } from "@tollgate/contract/account/Amount"
import type { NewOwnKey, OwnKey, OwnKeys } from "@tollgate/contract/account/Key"
import { useLoad } from "@tollgate/react"
import { usd } from "../../ui/amounts.ts"
import { ChangeButton } from "../../ui/ChangeButton.tsx"
import { Card, Empty, Loaded, Page, Skeleton, Tag } from "../../ui/kit.tsx"
import { Bar } from "../../ui/Meter.tsx"
import { useSecrets } from "../../ui/Secrets.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { ago, dateOnly, fullTime, useNow } from "../../ui/times.ts"
import { KeyActions, nameOf, termsOf } from "./EditKey.tsx"

/** Only such a key signs in and changes keys. */
const isUnlimited = (key: OwnKey): boolean =>
  [key.budget_micros_usd, key.day_budget_micros_usd, key.month_budget_micros_usd].every((limit) => limit === null) &&
  [key.ends_at, key.allowed, key.models, key.addresses].every((limit) => limit === null)

const restrictionsOf = ({ addresses, allowed, models }: OwnKey): ReadonlyArray<string> => [
  ...(allowed === null
    ? []
    : [`only ${[...allowed.categories, ...allowed.operations].join(", ") || "free operations"}`]),
  ...(models === null ? [] : [`models ${models.join(", ")}`]),
  ...(addresses === null ? [] : [`from ${addresses.join(", ")}`])
]

interface SpentInProps {
  readonly when: string
  readonly spent: Amount
  readonly budget: Amount | null
}

const SpentIn = ({ budget, spent, when }: SpentInProps) =>
  budget === null && Number(spent) === 0 ? null : (
    <div className="soft small">
      {when} {usd(spent)}
      {budget === null ? "" : ` of ${usd(budget)}`}
    </div>
  )

const Spent = ({ of, text }: { readonly of: OwnKey; readonly text: string }) => {
  const { budget_micros_usd: budget, day_budget_micros_usd: day, month_budget_micros_usd: month } = of
  return (
    <div>
      {text}
      <div className="soft small">{budget === null ? "no budget" : `of ${usd(budget)}`}</div>
      {budget === null ? null : (
        <Bar label={`Spent by ${nameOf(of)}`} used={Number(of.spent_micros_usd)} limit={Number(budget)} words={text} />
      )}
      <SpentIn when="today" spent={of.spent_today_micros_usd} budget={day} />
      <SpentIn when="this month" spent={of.spent_this_month_micros_usd} budget={month} />
    </div>
  )
}

interface Actions {
  readonly onChanged: () => void
  readonly onMade: (key: NewOwnKey) => void
}

const columnsOf = (all: ReadonlyArray<OwnKey>, now: number, actions: Actions): ReadonlyArray<Column<OwnKey>> => [
  {
    head: "Key",
    kind: "name",
    cell: (key) => (
      <>
        <span className="wrap">
          <bdi>{key.label === "" ? "No label" : key.label}</bdi> {key.own ? <Tag kind="accent">signed in</Tag> : null}
        </span>
        <span className="mono soft">{key.id}</span>
        {restrictionsOf(key).map((line) => (
          <span key={line} className="soft small wrap">
            {line}
          </span>
        ))}
      </>
    )
  },
  {
    head: "Since",
    cell: ({ created_at, ended, ends_at, last_used_at: last }) => (
      <div>
        <time dateTime={created_at} title={fullTime(created_at)}>
          {dateOnly(created_at)}
        </time>
        <div className="soft small" title={last === null ? undefined : fullTime(last)}>
          {last === null ? "no billed call yet" : `last billed call ${ago(last, now)}`}
        </div>
        {ends_at === null || ended ? null : (
          <div className="soft small" title={fullTime(ends_at)}>
            ends on {dateOnly(ends_at)}
          </div>
        )}
      </div>
    )
  },
  { head: "Spent", usd: (key) => key.spent_micros_usd, cell: (key, text) => <Spent of={key} text={text} /> },
  {
    head: "Actions",
    kind: "actions",
    cell: (key) =>
      key.ended ? (
        <Tag>ended</Tag>
      ) : (
        <KeyActions
          of={key}
          isLast={isUnlimited(key) && all.every((one) => one.id === key.id || !isUnlimited(one))}
          {...actions}
        />
      )
  }
]

interface KeysProps extends Actions {
  readonly found: OwnKeys
  readonly now: number
}

const Keys = ({ found, now, ...actions }: KeysProps) => (
  <Card flush={found.keys.length > 0}>
    <Table
      label="Keys"
      columns={columnsOf(found.keys, now, actions)}
      rows={found.keys}
      keyOf={({ id }) => id}
      empty={
        <Empty title="The account has no key">
          <p>Programs send a key with each call.</p>
        </Empty>
      }
    />
  </Card>
)

const load = keys()

/** The keys of the account, and what each may do. A new key stays here until it is put away. */
export const KeysPage = () => {
  const loaded = useLoad(load, { every: "10 seconds" })
  const now = useNow(10_000)
  const { keep, notices } = useSecrets()
  const { error } = loaded
  const onMade = (made: NewOwnKey) => {
    keep({
      id: made.id,
      title: (
        <>
          The new key <bdi>{nameOf(made)}</bdi>
        </>
      ),
      texts: [["Copy the key", made.key]]
    })
    loaded.refresh()
  }
  const isRefused = error !== undefined && "status" in error && error.status === 403
  return (
    <Page
      title="Keys"
      lead="Programs call with a key. Give each its own, with what it may spend and do."
      actions={
        isRefused ? undefined : (
          <ChangeButton
            label="Create a key"
            kind="main"
            {...termsOf()}
            submit="Create the key"
            run={createKey}
            onDone={onMade}
            done={(key) => `The key ${nameOf(key)} was created. Store it now.`}
          />
        )
      }
    >
      {notices}
      {isRefused ? (
        // Another credential helps, and another attempt does not.
        <Empty inCard title="This credential cannot see keys">
          <p>{error.message}</p>
        </Empty>
      ) : (
        <Loaded
          of={loaded}
          stale="The list below may be out of date."
          loading={
            <Card>
              <Skeleton lines={5} />
            </Card>
          }
        >
          {(found) => <Keys found={found} now={now} onChanged={loaded.refresh} onMade={onMade} />}
        </Loaded>
      )}
    </Page>
  )
}
