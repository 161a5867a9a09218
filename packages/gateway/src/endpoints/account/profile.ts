import type { Profile, profile as routes, ProfileQuota } from "@tollgate/contract/account/Profile"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Account, Accounts, Key } from "@tollgate/ledger/account/Accounts"
import { periodEnd, periodStart } from "@tollgate/ledger/ledger/Balance"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import { amount, multiplier, time } from "../managementApi/shapes.ts"
import type { Caller } from "./Caller.ts"

interface Quota {
  readonly shown: ProfileQuota
  readonly left: bigint
}

/** As the ledger counts it: a period that is over counts no more, and periods never move backwards. */
const quotaOf = ({ quota, quotaFrom, quotaPeriod, quotaSpent, reserved }: Key, now: number): Quota | undefined => {
  if (quota === null) return undefined
  const period = quotaPeriod ?? "day"
  const spent = periodStart(period, now) > quotaFrom ? 0n : quotaSpent
  return {
    shown: {
      amount_micros_usd: amount(quota),
      period,
      spent_micros_usd: amount(spent),
      ends_at: time(periodEnd(period, Math.max(now, quotaFrom)))
    },
    left: quota - spent - reserved
  }
}

const least = (amounts: ReadonlyArray<bigint>): bigint => {
  const lowest = amounts.reduce((one, other) => (other < one ? other : one))
  return lowest < 0n ? 0n : lowest
}

const credentialOf = ({ principal }: Caller, key: Key, quota: Quota | undefined): Profile["credential"] => ({
  kind: principal.grant === undefined ? "key" : "grant",
  id: key.id,
  label: key.label,
  scope: principal.grant === undefined ? "key" : "account",
  scopes: principal.grant === undefined ? null : [...principal.grant.scopes],
  ends_at: key.endsAt === null ? null : time(key.endsAt),
  budget_micros_usd: key.budget === null ? null : amount(key.budget),
  spent_micros_usd: amount(key.spent),
  reserved_micros_usd: amount(key.reserved),
  quota: quota?.shown ?? null
})

const accountOf = (account: Account, isLimited: boolean): Profile["account"] => ({
  id: account.id,
  label: account.label,
  tier: account.tier,
  ...account.allowance,
  multiplier: multiplier(account.multiplier),
  balance_micros_usd: isLimited ? null : amount(account.balance),
  reserved_micros_usd: isLimited ? null : amount(account.reserved)
})

const profileOf = (caller: Caller, account: Account, key: Key, now: number, hasSandbox: boolean): Profile => {
  const quota = quotaOf(key, now)
  return {
    credential: credentialOf(caller, key, quota),
    account: accountOf(account, key.budget !== null || quota !== undefined),
    spendable_micros_usd: amount(
      least([
        account.balance - account.reserved,
        ...(key.budget === null ? [] : [key.budget - key.spent - key.reserved]),
        ...(quota === undefined ? [] : [quota.left])
      ])
    ),
    sandbox: hasSandbox,
    grants: caller.resources !== undefined
  }
}

export const profileHandlers = (
  accounts: Accounts["Service"],
  hasSandbox: () => boolean
): Handlers<typeof routes, Caller> => ({
  profile: (_, caller) => {
    const { account, key = "" } = caller.principal
    return Effect.map(
      Effect.all([accounts.get(account), accounts.getKey(key), Clock.currentTimeMillis]),
      ([account, key, now]) => profileOf(caller, account, key, now, hasSandbox())
    )
  }
})
