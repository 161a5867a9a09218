import type { Key } from "@tollgate/contract/admin/Account"
import { useEffect, useState } from "react"
import { shortUsd, usdColumn } from "../../../ui/amounts.ts"
import { Button, Tag } from "../../../ui/kit.tsx"
import { ago, dateOnly, fullTime } from "../../../ui/times.ts"
import styles from "../operator.module.css"
import { DataTable } from "../parts/DataTable.tsx"

export type KeyAction = "edit" | "rotate" | "revoke"

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

type Usd = ReturnType<typeof usdColumn>

interface RowProps {
  readonly of: Key
  readonly now: number
  /** How each column writes its amounts. */
  readonly usd: Readonly<Record<"spent" | "budget" | "quota", Usd>>
  readonly onAct: (action: KeyAction, of: Key) => void
}

const Row = ({ now, of, onAct, usd }: RowProps) => (
  <tr>
    <th scope="row" className={styles.name}>
      <span>{of.label === "" ? "No label" : of.label}</span>
      <span className="mono soft">{of.id}</span>
    </th>
    <td data-label="State">
      <span>
        <State of={of} now={now} />
        <small className={styles.below}>since {dateOnly(of.created_at)}</small>
      </span>
    </td>
    <td className="number" data-label="Spent">
      <span>
        {usd.spent(of.spent_micros_usd)}
        {BigInt(of.reserved_micros_usd) === 0n ? null : (
          <small className={styles.below}>+ {shortUsd(of.reserved_micros_usd)} reserved</small>
        )}
      </span>
    </td>
    <td className="number" data-label="Budget">
      {of.budget_micros_usd === null ? <span className="soft">None</span> : usd.budget(of.budget_micros_usd)}
    </td>
    <td className="number" data-label="Quota">
      {of.quota === null ? (
        <span className="soft">None</span>
      ) : (
        `${usd.quota(of.quota.amount_micros_usd)} a ${of.quota.period}`
      )}
    </td>
    <td className={styles.keyActions}>
      {hasEnded(of, now) ? null : (
        <div className={styles.actions}>
          <Button onClick={() => onAct("edit", of)} aria-label={`Change ${of.label}`}>
            Change
          </Button>
          <Button onClick={() => onAct("rotate", of)} aria-label={`Rotate ${of.label}`}>
            Rotate
          </Button>
          <Button kind="danger" onClick={() => onAct("revoke", of)} aria-label={`Revoke ${of.label}`}>
            Revoke
          </Button>
        </div>
      )}
    </td>
  </tr>
)

interface KeyTableProps {
  readonly keys: ReadonlyArray<Key>
  readonly onAct: (action: KeyAction, of: Key) => void
}

/** Keys, with what each may still do. */
export const KeyTable = ({ keys, onAct }: KeyTableProps) => {
  const [now, setNow] = useState(Date.now)
  useEffect(() => setNow(Date.now()), [keys])
  const usd = {
    spent: usdColumn(keys.map((key) => key.spent_micros_usd)),
    budget: usdColumn(keys.map((key) => key.budget_micros_usd)),
    quota: usdColumn(keys.map((key) => key.quota?.amount_micros_usd ?? null))
  }
  return (
    <DataTable
      label="Keys"
      columns={["Key", "State", { number: "Spent" }, { number: "Budget" }, { number: "Quota" }, "Actions"]}
    >
      {keys.map((key) => (
        <Row key={key.id} of={key} now={now} usd={usd} onAct={onAct} />
      ))}
    </DataTable>
  )
}
