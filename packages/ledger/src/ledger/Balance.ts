import { formatUsd, fromMicros, type BigMicroUsd, micro } from "@tollgate/contract/Money"
import { isGrantId } from "./grantId.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { amount, amountOrNull, type Row } from "../store/rows.ts"
import { type Period, periodEnd, periodStart } from "./Period.ts"

const usd = (micros: bigint): string => `${formatUsd(fromMicros(micro(micros)))} USD`

/** Never shown as negative: calls may have cost more than was left. */
const left = (micros: bigint): string => usd(micros < 0n ? 0n : micros)

const canCost = (wanted: BigMicroUsd): string => `The call can cost up to ${usd(wanted)}`

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
      ? `The limit of ${usd(budget)} that was given to this application is used up`
      : `${canCost(wanted)}; ${left(rest)} of the limit that was given to this application are left`
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

  refusal(wanted: BigMicroUsd): Refused | undefined {
    const available = this.balance - this.reserved
    if (this.balance > 0n && wanted <= available) return undefined
    const reason = wanted === 0n ? "The balance is used up" : canCost(wanted)
    return refuse("insufficient_balance", `${reason}; ${left(available)} are available. Top up the account.`)
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

  refusal(wanted: BigMicroUsd, now: number): Refused | undefined {
    const inPeriod = this.#isOver(now) ? 0n : this.quotaSpent
    if (this.#quota !== null && (inPeriod >= this.#quota || inPeriod + this.reserved + wanted > this.#quota)) {
      return refuse(
        "quota_exceeded",
        `The key's quota of ${usd(this.#quota)} per ${this.#period} is used up; the operator can raise it.`,
        {
          retryAfter: periodEnd(this.#period, Math.max(now, this.quotaFrom)) - now
        }
      )
    }
    if (this.budget !== null && (this.spent >= this.budget || this.spent + this.reserved + wanted > this.budget)) {
      const rest = this.budget - this.spent - this.reserved
      const text = isGrantId(this.rootKey) ? overLimit : overBudget
      return refuse("over_budget", text(wanted, this.budget, rest))
    }
    return undefined
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

  /** Whether the period in force ended before `now`. Periods never move backwards. */
  #isOver(now: number): boolean {
    return periodStart(this.#period, now) > this.quotaFrom
  }

  #advancePeriod(now: number): void {
    if (!this.#isOver(now)) return
    this.quotaFrom = periodStart(this.#period, now)
    this.quotaSpent = 0n
  }
}
