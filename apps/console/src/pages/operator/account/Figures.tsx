import type { Account } from "@tollgate/contract/admin/Account"
import { count, usd } from "../../../ui/amounts.ts"
import { Stat, Stats } from "../../../ui/Stat.tsx"
import { dateOnly } from "../parts/dates.ts"

export const Figures = ({ account }: { readonly account: Account }) => (
  <Stats>
    <Stat
      label="Balance"
      value={usd(account.balance_micros_usd)}
      note={`${usd(account.reserved_micros_usd)} of it reserved`}
    />
    <Stat label="Topped up" value={usd(account.topped_up_micros_usd)} note="Paid in, in total" />
    <Stat
      label="Tier"
      value={account.tier}
      note={`Since ${dateOnly(account.created_at)}, prices ×${account.multiplier}`}
    />
    <Stat
      label="Limits"
      value={`${count(account.rpm)}/min`}
      note={`${count(account.tpm)} tokens/min, ${count(account.concurrency)} at once`}
    />
  </Stats>
)
