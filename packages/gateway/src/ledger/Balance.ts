import { formatUsd, fromMicros, type MicroUsd, micro } from "@tollgate/contract/Money"
import { refuse, type Refused } from "../Refused.ts"
import { amount, amountOrNull, type Row } from "../store/rows.ts"
import { type Period, periodEnd, periodStart } from "./Period.ts"

const usd = (micros: bigint): string => `${formatUsd(fromMicros(micro(micros)))} USD`

/** Never shown as negative: a limit may be set below what is already spent. */
const left = (micros: bigint): string => usd(micros < 0n ? 0n : micros)

/** An account's balance, and how much of it is reserved. */
export class AccountBalance {
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

  reserve(wanted: MicroUsd): void {
    this.reserved += wanted
  }

  charge(reserved: MicroUsd, charged: MicroUsd): void {
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
  readonly #budget: bigint | null
  readonly #quota: bigint | null
  readonly #period: Period

  constructor(row: Row) {
    this.rootKey = String(row.root_key)
    this.spent = amount(row, "spent")
    this.reserved = amount(row, "reserved")
    this.#budget = amountOrNull(row, "budget")
    this.#quota = amountOrNull(row, "quota")
    this.#period = row.quota_period === "month" ? "month" : "day"
    this.quotaFrom = Number(row.quota_from)
    this.quotaSpent = amount(row, "quota_spent")
  }

  refusal(wanted: MicroUsd, now: number): Refused | undefined {
    this.#advancePeriod(now)
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

  reserve(wanted: MicroUsd, now: number): void {
    this.#advancePeriod(now)
    this.reserved += wanted
  }

  /**
   * A charge counts in the period in which its call ended, even if it is recorded later. Reserved amounts count in the
   * current period.
   */
  charge(reserved: MicroUsd, charged: MicroUsd, endedAt: number): void {
    this.#advancePeriod(endedAt)
    this.reserved -= reserved
    this.spent += charged
    if (endedAt >= this.quotaFrom) this.quotaSpent += charged
  }

  /** Starts the period of `now`. Never goes back to an earlier one: a late charge has an earlier time. */
  #advancePeriod(now: number): void {
    const start = periodStart(this.#period, now)
    if (start <= this.quotaFrom) return
    this.quotaFrom = start
    this.quotaSpent = 0n
  }
}
