import { changeKey, createKey, revokeKey, rotateKey } from "@tollgate/client/admin"
import type { Key, NewKey } from "@tollgate/contract/admin/Account"
import { KeyTerms, Rotation } from "@tollgate/contract/admin/Terms"
import type { UseLoad } from "@tollgate/react"
import { useEffect, useState } from "react"
import { shortUsd } from "../../../ui/amounts.ts"
import { ChangeDialog, type ChangeDialogProps } from "../../../ui/ChangeDialog.tsx"
import { Button, Card, Empty, Loaded, Tag } from "../../../ui/kit.tsx"
import { usdText } from "../../../ui/parseUsd.ts"
import { type Column, Table } from "../../../ui/Table.tsx"
import { ago, dateOnly, fullTime } from "../../../ui/times.ts"
import styles from "../operator.module.css"
import { SecretNotice } from "../parts.tsx"

type KeyAction = "edit" | "rotate" | "revoke"

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

const columnsOf = (now: number, onAct: (action: KeyAction, of: Key) => void): ReadonlyArray<Column<Key>> => [
  {
    head: "Key",
    kind: "name",
    cell: ({ id, label }) => (
      <>
        <span>{label === "" ? "No label" : label}</span>
        <span className="mono soft">{id}</span>
      </>
    )
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
  {
    head: "Quota",
    usd: ({ quota }) => quota?.amount_micros_usd ?? null,
    cell: ({ quota }, amount) => `${amount} a ${quota?.period}`
  },
  {
    head: "Actions",
    kind: "actions",
    className: styles.keyActions,
    cell: (key) =>
      hasEnded(key, now) ? null : (
        <>
          <Button onClick={() => onAct("edit", key)} aria-label={`Change ${key.label}`}>
            Change
          </Button>
          <Button onClick={() => onAct("rotate", key)} aria-label={`Rotate ${key.label}`}>
            Rotate
          </Button>
          <Button kind="danger" onClick={() => onAct("revoke", key)} aria-label={`Revoke ${key.label}`}>
            Revoke
          </Button>
        </>
      )
  }
]

/** Label, budget and quota of a key: of a new one, or of one that is changed. */
const termsOf = (key?: Key): Pick<ChangeDialogProps<KeyTerms, never, never>, "assemble" | "fields" | "schema"> => ({
  schema: KeyTerms,
  fields: {
    label: { label: "Label", hint: "Where the key is used.", initial: key?.label ?? "", required: true },
    budget_micros_usd: {
      label: "Budget in USD",
      hint: "The most it may spend in total, including earlier keys it replaced. Empty: no budget.",
      kind: "usd",
      initial: usdText(key?.budget_micros_usd),
      empty: null
    },
    quota: {
      label: "Quota in USD",
      hint: "Empty: no quota.",
      kind: "usd",
      initial: usdText(key?.quota?.amount_micros_usd),
      half: true
    },
    period: {
      label: "For each",
      options: [
        ["day", "Day"],
        ["month", "Month"]
      ],
      initial: key?.quota?.period ?? "day",
      half: true
    }
  },
  assemble: ({ period, quota, ...terms }) => ({
    ...terms,
    quota: quota === undefined ? null : { amount_micros_usd: quota, period }
  })
})

const graces = [
  ["0", "No time: it ends within a second"],
  ["3600", "One hour"],
  ["86400", "One day"],
  ["604800", "Seven days"],
  ["2592000", "Thirty days"]
] as const

interface KeyDialogsProps {
  readonly of: Key
  /** `undefined`: all are closed. */
  readonly action: KeyAction | undefined
  readonly onClose: () => void
  readonly onDone: () => void
  readonly onRotated: (key: NewKey) => void
}

const KeyDialogs = ({ action, of, onClose, onDone, onRotated }: KeyDialogsProps) => (
  <>
    <ChangeDialog
      title="Change the key"
      open={action === "edit"}
      onClose={onClose}
      {...termsOf(of)}
      submit="Save the key"
      run={(terms) => changeKey(of.id, terms)}
      done={({ label }) => {
        onDone()
        return `The key ${label} was saved.`
      }}
    />
    <ChangeDialog
      title="Rotate the key"
      open={action === "rotate"}
      onClose={onClose}
      schema={Rotation}
      fields={{
        grace_seconds: { label: "Keep the old key working for", options: graces, initial: "86400", read: Number }
      }}
      submit="Rotate the key"
      danger={({ grace_seconds: grace }) => grace === 0}
      run={({ grace_seconds: grace }) => rotateKey(of.id, grace)}
      done={(key) => {
        onRotated(key)
        return `The key ${key.label} was rotated. Store the new one now.`
      }}
    >
      <p>
        A new key takes the place of <strong>{of.label}</strong>, with the same budget and quota. Spending so far still
        counts.
      </p>
    </ChangeDialog>
    <ChangeDialog
      title="Revoke the key"
      open={action === "revoke"}
      onClose={onClose}
      fields={{}}
      submit="Revoke the key"
      danger
      run={() => revokeKey(of.id)}
      done={({ label }) => {
        onDone()
        return `The key ${label} was revoked.`
      }}
    >
      <p>
        <strong>{of.label}</strong> stops working within a second, for every program that uses it. This cannot be
        undone.
      </p>
    </ChangeDialog>
  </>
)

interface KeysCardProps {
  readonly account: string
  readonly keys: UseLoad<{ readonly keys: ReadonlyArray<Key> }, unknown>
}

/** The account's keys. A new key stays here until it is put away, whatever is closed in the meantime. */
export const KeysCard = ({ account, keys }: KeysCardProps) => {
  const [creates, setCreates] = useState(false)
  const [chosen, setChosen] = useState<Key>()
  const [action, setAction] = useState<KeyAction>()
  const [made, setMade] = useState<ReadonlyArray<NewKey>>([])
  const [now, setNow] = useState(Date.now)
  useEffect(() => setNow(Date.now()), [keys.value])
  const keep = (key: NewKey) => {
    setMade((before) => [...before, key])
    keys.refresh()
  }
  const columns = columnsOf(now, (action, key) => {
    setChosen(key)
    setAction(action)
  })
  return (
    <>
      {made.map((key) => (
        <SecretNotice
          key={key.id}
          title={`The new key ${key.label}`}
          secrets={[[key.key, "Copy the key"]]}
          onDone={() => setMade((before) => before.filter(({ id }) => id !== key.id))}
        >
          Store it now.
        </SecretNotice>
      ))}
      <ChangeDialog
        title="Create a key"
        open={creates}
        onClose={() => setCreates(false)}
        {...termsOf()}
        submit="Create the key"
        run={(terms) => createKey(account, terms)}
        done={(key) => {
          keep(key)
          return `The key ${key.label} was created. Store it now.`
        }}
      />
      {chosen === undefined ? null : (
        <KeyDialogs
          of={chosen}
          action={action}
          onClose={() => setAction(undefined)}
          onDone={keys.refresh}
          onRotated={keep}
        />
      )}
      <Card title="Keys" flush action={<Button onClick={() => setCreates(true)}>Create a key</Button>}>
        <Loaded of={keys}>
          {({ keys }) => (
            <Table
              label="Keys"
              columns={columns}
              rows={keys}
              keyOf={({ id }) => id}
              empty={
                <Empty title="This account has no key">
                  <p>Callers send a key with each call.</p>
                </Empty>
              }
            />
          )}
        </Loaded>
      </Card>
    </>
  )
}
