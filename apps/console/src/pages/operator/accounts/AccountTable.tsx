import { Link } from "@tanstack/react-router"
import type { Account } from "@tollgate/contract/admin/Account"
import { useState } from "react"
import { count, leftUsd, usd, usdColumn } from "../../../ui/amounts.ts"
import { Button, Empty, Tag } from "../../../ui/kit.tsx"
import { dateOnly } from "../../../ui/times.ts"
import { DataTable } from "../parts/DataTable.tsx"
import styles from "../operator.module.css"

/** As many rows as a page shows before it is asked for more. */
const step = 100

interface RowProps {
  readonly account: Account
  readonly reserved: ReturnType<typeof usdColumn>
}

const Row = ({ account, reserved }: RowProps) => (
  <tr>
    <th scope="row" className={styles.name}>
      <Link to="/operator/accounts/$account" params={{ account: account.id }}>
        {account.label}
      </Link>
      <span className="mono soft">{account.id}</span>
    </th>
    <td data-label="Balance" className="number" title={usd(account.balance_micros_usd)}>
      {BigInt(account.balance_micros_usd) <= 0n ? (
        <Tag kind="bad">{leftUsd(account.balance_micros_usd)}</Tag>
      ) : (
        leftUsd(account.balance_micros_usd)
      )}
    </td>
    <td data-label="Reserved" className={`number soft ${styles.extra}`}>
      {reserved(account.reserved_micros_usd)}
    </td>
    <td data-label="Tier">{account.tier}</td>
    <td data-label="Requests/min" className="number">
      {count(account.rpm)}
    </td>
    <td data-label="Tokens/min" className={`number ${styles.extra}`}>
      {count(account.tpm)}
    </td>
    <td data-label="Calls at once" className={`number ${styles.extra}`}>
      {count(account.concurrency)}
    </td>
    <td data-label="Multiplier" className="number">
      ×{account.multiplier}
    </td>
    <td data-label="Created" className={`number soft ${styles.extra}`}>
      {dateOnly(account.created_at)}
    </td>
  </tr>
)

/** Accounts in their order, the first hundred at once. */
export const AccountTable = ({ accounts }: { readonly accounts: ReadonlyArray<Account> }) => {
  const [shown, setShown] = useState(step)
  if (accounts.length === 0) return <Empty title="No account has this label or id" />
  const rows = accounts.slice(0, shown)
  const reserved = usdColumn(rows.map((account) => account.reserved_micros_usd))
  return (
    <>
      <DataTable
        label="Accounts"
        columns={[
          "Account",
          { number: "Balance" },
          { number: "Reserved", isExtra: true },
          "Tier",
          { number: "Requests/min" },
          { number: "Tokens/min", isExtra: true },
          { number: "Calls at once", isExtra: true },
          { number: "Multiplier" },
          { number: "Created", isExtra: true }
        ]}
      >
        {rows.map((account) => (
          <Row key={account.id} account={account} reserved={reserved} />
        ))}
      </DataTable>
      <p className={styles.more}>
        <span className="soft small" role="status">
          {count(Math.min(shown, accounts.length))} of {count(accounts.length)}
        </span>
        {shown < accounts.length ? <Button onClick={() => setShown(shown + step)}>Show more</Button> : null}
      </p>
    </>
  )
}
