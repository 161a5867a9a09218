import { type BigMicroUsd, formatUsd, fromMicros, micro } from "@tollgate/contract/Money"
import { isGrantId } from "../credential/ApiKey.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { amount, amountOrNull, type Row } from "../store/rows.ts"

export type Period = "day" | "month"

const dayMillis = 86_400_000

/** Days and months in UTC. */
export const periodStart = (period: Period, now: number): number => {
  if (period === "day") return Math.floor(now / dayMillis) * dayMillis
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
}

export const periodEnd = (period: Period, now: number): number => {
  if (period === "day") return periodStart(period, now) + dayMillis
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}

const usd = (micros: bigint): string => `${formatUsd(fromMicros(micro(micros)))} USD`

/** Never shown as negative: calls may have cost more than was left. */
const left = (micros: bigint): string => usd(micros < 0n ? 0n : micros)

const canCost = (wanted: BigMicroUsd): string => `The call can cost up to ${usd(wanted)}`

/** When a caller whose money is reserved may try again, in milliseconds. */
export const retryAfter = 5_000

/** A call that could be paid if calls under way ended at nothing. `of`: whose money they have reserved. */
export interface Short {
  readonly kind: "short"
  readonly of: "account" | "key"
  readonly refused: Refused
}

const short = (of: Short["of"], wanted: BigMicroUsd, reserved: bigint, rest: string): Short => {
  const reason = wanted === 0n ? "All that is left is reserved" : `${canCost(wanted)}; ${rest}`
  return {
    kind: "short",
    of,
    refused: refuse(
      "balance_reserved",
      `${reason}, because ${usd(reserved)} are reserved for calls under way. Try again when one of them has ended.`,
      { retryAfter }
    )
  }
}

type OverBudget = (wanted: BigMicroUsd, budget: bigint, rest: bigint) => string

const overBudget: OverBudget = (wanted, budget, rest) => {
  const reason =
    wanted === 0n
      ? `The key's budget of ${usd(budget)} is used up`
      : `${canCost(wanted)}; the key's budget has ${left(rest)} left`
  return `${reason}. The operator can raise it.`
}

/** The budget of a grant is the limit that a person set. */
const overLimit: OverBudget = (wanted, budget, rest) => {
  const reason =
    wanted === 0n
      ? `The limit of ${usd(budget)} that was given to this app is used up`
      : `${canCost(wanted)}; ${left(rest)} of the limit that was given to this app are left`
  return `${reason}. Connect it again to give it more; the operator can raise it too.`
}

/** An account's balance, and how much of it is reserved. Calls that cost more than was reserved take it below zero. */
export class AccountBalance {
  readonly id: string
  balance: bigint
  reserved: bigint

  constructor(row: Row) {
    this.id = String(row.id)
    this.balance = amount(row, "balance")
    this.reserved = amount(row, "reserved")
  }

  /** Of a call that could not be paid even if every open call ended at nothing. */
  refusal(wanted: BigMicroUsd): Refused | undefined {
    if (this.balance > 0n && wanted <= this.balance) return undefined
    const reason = wanted === 0n ? "The balance is used up" : `${canCost(wanted)}; the balance is ${left(this.balance)}`
    return refuse("insufficient_balance", `${reason}. Top up the account.`)
  }

  shortage(wanted: BigMicroUsd): Short | undefined {
    const available = this.balance - this.reserved
    if (wanted <= available) return undefined
    return short("account", wanted, this.reserved, `${left(available)} are available`)
  }

  reserve(wanted: BigMicroUsd): void {
    this.reserved += wanted
  }

  charge(reserved: BigMicroUsd, charged: BigMicroUsd): void {
    this.reserved -= reserved
    this.balance -= charged
  }
}

/** What a key has spent of its budget and quota, together with all keys it was rotated from or into. */
export class KeyBalance {
  /** The first of those keys: the sums are kept in its row. */
  readonly rootKey: string
  spent: bigint
  reserved: bigint
  quotaFrom: number
  quotaSpent: bigint
  readonly budget: bigint | null
  readonly #quota: bigint | null
  readonly #period: Period

  constructor(row: Row) {
    this.rootKey = String(row.root_key)
    this.spent = amount(row, "spent")
    this.reserved = amount(row, "reserved")
    this.budget = amountOrNull(row, "budget")
    this.#quota = amountOrNull(row, "quota")
    this.#period = row.quota_period === "month" ? "month" : "day"
    this.quotaFrom = Number(row.quota_from)
    this.quotaSpent = amount(row, "quota_spent")
  }

  /** Of a call that could not be paid even if every open call ended at nothing. */
  refusal(wanted: BigMicroUsd, now: number): Refused | undefined {
    const inPeriod = this.#quota === null ? 0n : this.#spentInPeriod(now)
    if (this.#quota !== null && (inPeriod >= this.#quota || inPeriod + wanted > this.#quota)) {
      return refuse(
        "quota_exceeded",
        isGrantId(this.rootKey)
          ? `The daily budget of ${usd(this.#quota)} that was given to this app is used up until midnight UTC.` +
              " Whoever gave it can raise it."
          : `The key's quota of ${usd(this.#quota)} per ${this.#period} is used up; the operator can raise it.`,
        {
          retryAfter: periodEnd(this.#period, Math.max(now, this.quotaFrom)) - now
        }
      )
    }
    if (this.budget !== null && (this.spent >= this.budget || this.spent + wanted > this.budget)) {
      const text = isGrantId(this.rootKey) ? overLimit : overBudget
      return refuse("over_budget", text(wanted, this.budget, this.budget - this.spent))
    }
    return undefined
  }

  shortage(wanted: BigMicroUsd, now: number): Short | undefined {
    const inQuota = this.#quota === null ? undefined : this.#quota - this.#spentInPeriod(now) - this.reserved
    if (inQuota !== undefined && inQuota < wanted) {
      const what = isGrantId(this.rootKey) ? "the daily budget that was given to this app" : "the key's quota"
      return short("key", wanted, this.reserved, `${what} has ${left(inQuota)} left`)
    }
    const inBudget = this.budget === null ? undefined : this.budget - this.spent - this.reserved
    if (inBudget === undefined || inBudget >= wanted) return undefined
    const what = isGrantId(this.rootKey) ? "the limit that was given to this app" : "the key's budget"
    return short("key", wanted, this.reserved, `${what} has ${left(inBudget)} left`)
  }

  reserve(wanted: BigMicroUsd, now: number): void {
    this.#advancePeriod(now)
    this.reserved += wanted
  }

  /**
   * A charge always counts in the period in force, also if its time is before it: the clock went back, or the charge was
   * recorded late. Returns the time at which it counts.
   */
  charge(reserved: BigMicroUsd, charged: BigMicroUsd, now: number): number {
    this.#advancePeriod(now)
    this.reserved -= reserved
    this.spent += charged
    this.quotaSpent += charged
    return Math.max(now, this.quotaFrom)
  }

  #spentInPeriod(now: number): bigint {
    return periodStart(this.#period, now) > this.quotaFrom ? 0n : this.quotaSpent
  }

  /** Periods never move backwards. */
  #advancePeriod(now: number): void {
    const start = periodStart(this.#period, now)
    if (start <= this.quotaFrom) return
    this.quotaFrom = start
    this.quotaSpent = 0n
  }
}
