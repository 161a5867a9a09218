import type { Amount } from "@tollgate/contract/account/Amount"
import type { Account } from "@tollgate/contract/admin/Account"
import { count, leftUsd, shortUsd } from "../../../ui/amounts.ts"
import { Stat, Stats } from "../../../ui/Stat.tsx"

const sum = (amounts: ReadonlyArray<Amount>): bigint => amounts.reduce((total, amount) => total + BigInt(amount), 0n)

/** All accounts together. */
export const Totals = ({ accounts }: { readonly accounts: ReadonlyArray<Account> }) => {
  const empty = accounts.filter(({ balance_micros_usd: balance }) => BigInt(balance) <= 0n).length
  return (
    <Stats>
      <Stat
        label="Accounts"
        value={count(accounts.length)}
        note={empty === 0 ? "All have a balance" : `${count(empty)} without balance`}
      />
      <Stat
        label="Balances"
        value={leftUsd(sum(accounts.map((account) => account.balance_micros_usd)))}
        note="What is owed to them in calls"
      />
      <Stat
        label="Reserved"
        value={shortUsd(sum(accounts.map((account) => account.reserved_micros_usd)))}
        note="By calls that have not ended"
      />
      <Stat
        label="Topped up"
        value={shortUsd(sum(accounts.map((account) => account.topped_up_micros_usd)))}
        note="Paid in, in total"
      />
    </Stats>
  )
}
