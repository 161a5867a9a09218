import { formatUsd, fromMicros, micro } from "@tollgate/contract/Money"
import type { RunningGateway } from "@tollgate/contract/admin/Gateway"
import type { Multiplier } from "@tollgate/contract/price/Price"
import { amountOf as amount } from "@tollgate/contract/account/Amount"
import type * as Contract from "@tollgate/contract/admin/Account"
import type * as ContractGrant from "@tollgate/contract/admin/Grant"
import type { Account, Transaction, Key } from "@tollgate/ledger/account/Accounts"
import { hasEnded } from "@tollgate/ledger/account/keys"
import type { FleetMember } from "@tollgate/ledger/fleet/gatewayRows"
import { type Grant, isServiceAccountId } from "../../identity/grant/Grants.ts"

export { amount }

export const amountOrNull = (micros: bigint | null) => (micros === null ? null : amount(micros))

export const time = (millis: number): string => new Date(millis).toISOString()

export const timeOrNull = (millis: number | null) => (millis === null ? null : time(millis))

export const multiplier = (millionths: Multiplier): string => formatUsd(fromMicros(micro(millionths)))

export const account = (of: Account): Contract.Account => ({
  id: of.id,
  label: of.label,
  created_at: time(of.createdAt),
  balance_micros_usd: amount(of.balance),
  reserved_micros_usd: amount(of.reserved),
  topped_up_micros_usd: amount(of.toppedUp),
  tier: of.tier,
  rpm: of.allowance.rpm,
  tpm: of.allowance.tpm,
  concurrency: of.allowance.concurrency,
  multiplier: multiplier(of.multiplier)
})

/** What everybody who sees a key sees of it. */
export const keyFields = (of: Key, now: number): Omit<Contract.Key, "account"> => ({
  id: of.id,
  label: of.label,
  created_at: time(of.createdAt),
  ends_at: timeOrNull(of.endsAt),
  spent_micros_usd: amount(of.spent),
  reserved_micros_usd: amount(of.reserved),
  budget_micros_usd: amountOrNull(of.budget),
  day_budget_micros_usd: amountOrNull(of.dayBudget),
  month_budget_micros_usd: amountOrNull(of.monthBudget),
  allowed: of.restrictions.allowed ?? null,
  models: of.restrictions.models ?? null,
  addresses: of.restrictions.addresses ?? null,
  root_key: of.rootKey,
  ended: hasEnded(of, now),
  last_used_at: timeOrNull(of.lastUsedAt),
  spent_today_micros_usd: amount(of.day.spentAt(now)),
  spent_this_month_micros_usd: amount(of.month.spentAt(now))
})

export const entry = (of: Transaction): Contract.Entry => ({
  id: of.id,
  kind: of.kind,
  amount_micros_usd: amount(of.amount),
  ...(of.call === null ? {} : { call: of.call }),
  note: of.note,
  at: time(of.at)
})

export const grant = (of: Grant): ContractGrant.Grant => ({
  id: of.id,
  account: of.account,
  client_id: of.client.id,
  client_name: of.client.name,
  machine: isServiceAccountId(of.client.id),
  returns_to: of.returnsTo ?? null,
  scopes: of.scopes,
  created_at: time(of.createdAt),
  ends_at: time(of.endsAt),
  last_used_at: of.lastUsedAt === undefined ? null : time(of.lastUsedAt),
  ended: of.ended,
  spent_micros_usd: amount(of.spent),
  spent_today_micros_usd: amount(of.spentToday),
  limit_micros_usd: amountOrNull(of.limit),
  day_limit_micros_usd: amountOrNull(of.dayLimit),
  ask_above_micros_usd: amountOrNull(of.askAbove),
  allowed: of.allowed
})

export const runningGateway = (of: FleetMember): RunningGateway => ({
  id: of.id,
  name: of.name,
  version: of.version,
  started_at: time(of.startedAt),
  silent_ms: of.silentMillis,
  config: of.config,
  config_differs: of.configDiffers
})
