import { formatUsd, fromMicros, type MicroUsd, micro } from "@tollgate/contract/Money"
import { refuse, type Refused } from "../Refused.ts"
import { amount, amountOrNull, type Row } from "../store/rows.ts"
import { type Period, periodEnd, periodStart } from "./Period.ts"

const usd = (micros: bigint): string => `${formatUsd(fromMicros(micro(micros)))} USD`

/** Nothing, where less than nothing is left: a bound may be set below what is spent. */
const left = (micros: bigint): string => usd(micros < 0n ? 0n : micros)

/** What an account has, and how much of it is promised to calls under way. */
export class AccountPurse {
  readonly id: string
  balance: bigint
  reserved: bigint

  constructor(row: Row) {
    this.id = String(row.id)
    this.balance = amount(row, "balance")
    this.reserved = amount(row, "reserved")
  }

  refusal(wanted: MicroUsd): Refused | undefined {
    const available = this.balance - this.reserved
    return wanted <= available
      ? undefined
      : refuse("insufficient_balance", `The call can cost up to ${usd(wanted)}; ${left(available)} are available.`)
  }

  take(wanted: MicroUsd): void {
    this.reserved += wanted
  }

  give(taken: MicroUsd, charged: MicroUsd): void {
    this.reserved -= taken
    this.balance -= charged
  }
}

/** What a key, and those that came from it by rotation, may spend in all, and in each period. */
export class KeyPurse {
  readonly id: string
  spent: bigint
  reserved: bigint
  quotaFrom: number
  quotaSpent: bigint
  readonly #budget: bigint | null
  readonly #quota: bigint | null
  readonly #period: Period

  constructor(row: Row) {
    this.id = String(row.purse)
    this.spent = amount(row, "spent")
    this.reserved = amount(row, "reserved")
    this.#budget = amountOrNull(row, "budget")
    this.#quota = amountOrNull(row, "quota")
    this.#period = row.quota_period === "month" ? "month" : "day"
    this.quotaFrom = Number(row.quota_from)
    this.quotaSpent = amount(row, "quota_spent")
  }

  refusal(wanted: MicroUsd, now: number): Refused | undefined {
    this.#turn(now)
    if (this.#quota !== null && this.quotaSpent + this.reserved + wanted > this.#quota) {
      return refuse("quota_exceeded", `The key's quota of ${usd(this.#quota)} per ${this.#period} is used up.`, {
        retryAfter: periodEnd(this.#period, Math.max(now, this.quotaFrom)) - now
      })
    }
    if (this.#budget !== null && this.spent + this.reserved + wanted > this.#budget) {
      const rest = this.#budget - this.spent - this.reserved
      return refuse("over_budget", `The call can cost up to ${usd(wanted)}; the key's budget has ${left(rest)} left.`)
    }
    return undefined
  }

  take(wanted: MicroUsd, now: number): void {
    this.#turn(now)
    this.reserved += wanted
  }

  /**
   * A charge counts in the period in which its call ended, whenever that is recorded: one that is recorded late is no part
   * of the period that has begun since. What is set aside counts in whatever period it is now.
   */
  give(taken: MicroUsd, charged: MicroUsd, endedAt: number): void {
    this.#turn(endedAt)
    this.reserved -= taken
    this.spent += charged
    if (endedAt >= this.quotaFrom) this.quotaSpent += charged
  }

  /** Begins a new period where the old one is over. Never an old one again: what is recorded late has an earlier time. */
  #turn(now: number): void {
    const start = periodStart(this.#period, now)
    if (start <= this.quotaFrom) return
    this.quotaFrom = start
    this.quotaSpent = 0n
  }
}
