import { changeKey, createKey, keys as readKeys, revokeKey, rotateKey } from "@tollgate/client/admin"
import type { Key, NewKey } from "@tollgate/contract/admin/Account"
import { KeyTerms, Rotation } from "@tollgate/contract/account/Key"
import { useLoad } from "@tollgate/react"
import { useMemo } from "react"
import { shortUsd } from "../../../ui/amounts.ts"
import { ChangeButton } from "../../../ui/ChangeButton.tsx"
import { Empty, Tag } from "../../../ui/kit.tsx"
import { usdText } from "../../../ui/parseUsd.ts"
import type { Description } from "../../../ui/readForm.ts"
import { type Column, List, Named } from "../../../ui/Table.tsx"
import { ago, dateOnly, fullTime } from "../../../ui/times.ts"
import styles from "../operator.module.css"
import { useSecrets } from "../../../ui/Secrets.tsx"

const hasEnded = ({ ends_at }: Key, now: number): boolean => ends_at !== null && Date.parse(ends_at) <= now

const State = ({ now, of }: { readonly of: Key; readonly now: number }) => {
  if (of.ends_at !== null) {
    return hasEnded(of, now) ? (
      <Tag kind="bad">Ended</Tag>
    ) : (
      <span title={fullTime(of.ends_at)}>
        <Tag kind="warn">Ends {ago(of.ends_at, now)}</Tag>
      </span>
    )
  }
  const { budget_micros_usd: budget, reserved_micros_usd: reserved, spent_micros_usd: spent } = of
  return budget !== null && BigInt(spent) + BigInt(reserved) >= BigInt(budget) ? (
    <Tag kind="bad">Budget reached</Tag>
  ) : (
    <Tag kind="good">Valid</Tag>
  )
}

/** Label and budgets of a key: of a new one, or of one that is changed. */
const termsOf = (key?: Key): Description<KeyTerms> => ({
  schema: KeyTerms,
  fields: {
    label: { label: "Label", hint: "Where the key is used.", initial: key?.label ?? "", required: true },
    budget_micros_usd: {
      label: "Budget in USD",
      hint: "The most it may spend in total, including earlier keys it replaced. Empty: no budget.",
      initial: usdText(key?.budget_micros_usd)
    },
    day_budget_micros_usd: {
      label: "Budget for a day in USD",
      hint: "Empty: none.",
      initial: usdText(key?.day_budget_micros_usd),
      half: true
    },
    month_budget_micros_usd: {
      label: "For a month",
      hint: "In UTC, as days are.",
      initial: usdText(key?.month_budget_micros_usd),
      half: true
    }
  }
})

const graces = [
  ["0", "No time: it ends within a second"],
  ["3600", "One hour"],
  ["86400", "One day"],
  ["604800", "Seven days"],
  ["2592000", "Thirty days"]
] as const

interface KeyProps {
  readonly of: Key
  readonly onChanged: () => void
  /** Takes the key that is new. */
  readonly onRotated: (key: NewKey) => void
}

const Actions = ({ of, onChanged, onRotated }: KeyProps) => (
  <>
    <ChangeButton
      label="Change"
      name={`Change ${of.label}`}
      title="Change the key"
      {...termsOf(of)}
      submit="Save the key"
      run={(terms) => changeKey(of.id, terms)}
      onDone={onChanged}
      done={({ label }) => `The key ${label} was saved.`}
    />
    <ChangeButton
      label="Rotate"
      name={`Rotate ${of.label}`}
      title="Rotate the key"
      schema={Rotation}
      fields={{ grace_seconds: { label: "Keep the old key working for", options: graces, initial: "86400" } }}
      submit="Rotate the key"
      danger={({ grace_seconds: grace }) => grace === 0}
      run={({ grace_seconds: grace }) => rotateKey(of.id, grace)}
      onDone={onRotated}
      done={({ label }) => `The key ${label} was rotated. Store the new one now.`}
    >
      <p>
        A new key takes the place of <strong>{of.label}</strong>, with the same budgets. Spending so far still counts.
      </p>
    </ChangeButton>
    <ChangeButton
      label="Revoke"
      name={`Revoke ${of.label}`}
      title="Revoke the key"
      submit="Revoke the key"
      danger
      run={() => revokeKey(of.id)}
      onDone={onChanged}
      done={({ label }) => `The key ${label} was revoked.`}
    >
      <p>
        <strong>{of.label}</strong> stops working within a second, for every program that uses it. This cannot be
        undone.
      </p>
    </ChangeButton>
  </>
)

const columnsOf = (now: number, actions: Omit<KeyProps, "of">): ReadonlyArray<Column<Key>> => [
  {
    head: "Key",
    kind: "name",
    cell: ({ id, label }) => <Named id={id}>{label === "" ? "No label" : label}</Named>
  },
  {
    head: "State",
    cell: (key) => (
      <span>
        <State of={key} now={now} />
        <small className="below">since {dateOnly(key.created_at)}</small>
      </span>
    )
  },
  {
    head: "Spent",
    usd: (key) => key.spent_micros_usd,
    cell: ({ reserved_micros_usd: reserved }, spent) => (
      <span>
        {spent}
        {BigInt(reserved) === 0n ? null : <small className="below">+ {shortUsd(reserved)} reserved</small>}
      </span>
    )
  },
  { head: "Budget", usd: (key) => key.budget_micros_usd },
  { head: "A day", usd: (key) => key.day_budget_micros_usd },
  { head: "A month", usd: (key) => key.month_budget_micros_usd },
  {
    head: "Actions",
    kind: "actions",
    className: styles.keyActions,
    cell: (key) => (hasEnded(key, now) ? null : <Actions of={key} {...actions} />)
  }
]

/** The account's keys. A new key stays here until it is put away, whatever is closed in the meantime. */
export const KeysCard = ({ account }: { readonly account: string }) => {
  const load = useMemo(() => readKeys(account), [account])
  const keys = useLoad(load, { every: "5 seconds" })
  const { keep, notices } = useSecrets()
  const isNew = ({ id, key, label }: NewKey) => {
    keep({ id, title: `The new key ${label}`, texts: [["Copy the key", key]] })
    keys.refresh()
  }
  return (
    <>
      {notices}
      <List
        title="Keys"
        of={keys}
        action={
          <ChangeButton
            label="Create a key"
            {...termsOf()}
            submit="Create the key"
            run={(terms) => createKey(account, terms)}
            onDone={isNew}
            done={({ label }) => `The key ${label} was created. Store it now.`}
          />
        }
        columns={columnsOf(Date.now(), { onChanged: keys.refresh, onRotated: isNew })}
        rows={({ keys }) => keys}
        keyOf={({ id }) => id}
        empty={
          <Empty title="This account has no key">
            <p>Callers send a key with each call.</p>
          </Empty>
        }
      />
    </>
  )
}
