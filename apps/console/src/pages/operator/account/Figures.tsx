import type { Amount } from "@tollgate/contract/account/Amount"
import type { Account } from "@tollgate/contract/admin/Account"
import { count, leftUsd, shortUsd, usd } from "../../../ui/amounts.ts"
import { Stat, Stats } from "../../../ui/Stat.tsx"

/** What a short amount leaves out. */
const exactly = (amount: Amount, shown = shortUsd(amount)): string | undefined =>
  usd(amount) === shown ? undefined : `Exactly ${usd(amount)}`

export const Figures = ({ account }: { readonly account: Account }) => (
  <Stats>
    <Stat
      label="Balance"
      value={leftUsd(account.balance_micros_usd)}
      note={
        exactly(account.balance_micros_usd, leftUsd(account.balance_micros_usd)) ??
        "What it can spend, and what is reserved"
      }
    />
    <Stat
      label="Reserved"
      value={shortUsd(account.reserved_micros_usd)}
      note={exactly(account.reserved_micros_usd) ?? "By calls that have not ended"}
    />
    <Stat
      label="Topped up"
      value={shortUsd(account.topped_up_micros_usd)}
      note={exactly(account.topped_up_micros_usd) ?? "Paid in, in total"}
    />
    <Stat
      label="Terms"
      value={`${account.tier} ×${account.multiplier}`}
      note={`${count(account.rpm)} requests and ${count(account.tpm)} tokens a minute, ${count(account.concurrency)} at once`}
    />
  </Stats>
)
