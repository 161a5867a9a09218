import { type BigMicroUsd, formatUsd, fromMicros, micro } from "@tollgate/contract/Money"
import { isGrantId } from "../credential/ApiKey.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { amount, amountOrNull, type Row } from "../store/rows.ts"

export const periods = ["day", "month"] as const
export type Period = (typeof periods)[number]

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
  return `${reason}. The owner of the account can raise it.`
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

/** What is spent in a day or a month, and the budget for it. It is counted without a budget too, so that one can be set later. */
export class PeriodBudget {
  readonly period: Period
  readonly budget: bigint | null
  /** The start of the period in which something was last reserved or charged. */
  from: number
  spent: bigint

  constructor(row: Row, period: Period) {
    this.period = period
    this.budget = amountOrNull(row, `${period}_budget`)
    this.from = Number(row[`${period}_from`])
    this.spent = amount(row, `${period}_spent`)
  }

  /** A period that is over counts no more. */
  spentAt(now: number): bigint {
    return periodStart(this.period, now) > this.from ? 0n : this.spent
  }

  endsAt(now: number): number {
    return periodEnd(this.period, Math.max(now, this.from))
  }

  /** Periods never move backwards. */
  advance(now: number): void {
    const start = periodStart(this.period, now)
    if (start <= this.from) return
    this.from = start
    this.spent = 0n
  }
}

const periodColumns = periods.flatMap((period) => ["budget", "from", "spent"].map((name) => `${period}_${name}`))

/** The columns of a root key `p` that a `KeyBalance` reads, besides `reserved` and `root_key`. */
export const balanceColumns = ["budget", "spent", ...periodColumns].map((name) => `p.${name}`).join(", ")

/** What a key has spent of its budgets, together with all keys it was rotated from or into. */
export class KeyBalance {
  /** The first of those keys: the sums are kept in its row. */
  readonly rootKey: string
  spent: bigint
  reserved: bigint
  readonly budget: bigint | null
  readonly day: PeriodBudget
  readonly month: PeriodBudget

  constructor(row: Row) {
    this.rootKey = String(row.root_key)
    this.spent = amount(row, "spent")
    this.reserved = amount(row, "reserved")
    this.budget = amountOrNull(row, "budget")
    this.day = new PeriodBudget(row, "day")
    this.month = new PeriodBudget(row, "month")
  }

  /** Of a call that could not be paid even if every open call ended at nothing. */
  refusal(wanted: BigMicroUsd, now: number): Refused | undefined {
    // The month first: its end is the later one.
    for (const each of [this.month, this.day]) {
      const { budget, period } = each
      if (budget === null) continue
      const spent = each.spentAt(now)
      if (spent < budget && spent + wanted <= budget) continue
      return refuse(
        "quota_exceeded",
        isGrantId(this.rootKey)
          ? `The daily budget of ${usd(budget)} that was given to this app is used up until midnight UTC.` +
              " Whoever gave it can raise it."
          : `The key's budget of ${usd(budget)} per ${period} is used up; the owner of the account can raise it.`,
        { retryAfter: each.endsAt(now) - now }
      )
    }
    if (this.budget !== null && (this.spent >= this.budget || this.spent + wanted > this.budget)) {
      const text = isGrantId(this.rootKey) ? overLimit : overBudget
      return refuse("over_budget", text(wanted, this.budget, this.budget - this.spent))
    }
    return undefined
  }

  shortage(wanted: BigMicroUsd, now: number): Short | undefined {
    const isGrant = isGrantId(this.rootKey)
    for (const each of [this.month, this.day]) {
      const rest = each.budget === null ? wanted : each.budget - each.spentAt(now) - this.reserved
      if (rest >= wanted) continue
      const what = isGrant ? "the daily budget that was given to this app" : `the key's budget for the ${each.period}`
      return short("key", wanted, this.reserved, `${what} has ${left(rest)} left`)
    }
    const inBudget = this.budget === null ? undefined : this.budget - this.spent - this.reserved
    if (inBudget === undefined || inBudget >= wanted) return undefined
    const what = isGrant ? "the limit that was given to this app" : "the key's budget"
    return short("key", wanted, this.reserved, `${what} has ${left(inBudget)} left`)
  }

  reserve(wanted: BigMicroUsd, now: number): void {
    this.#advance(now)
    this.reserved += wanted
  }

  /**
   * A charge always counts in the periods in force, also if its time is before them: the clock went back, or the charge was
   * recorded late. Returns the time at which it counts.
   */
  charge(reserved: BigMicroUsd, charged: BigMicroUsd, now: number): number {
    this.#advance(now)
    this.reserved -= reserved
    this.spent += charged
    this.day.spent += charged
    this.month.spent += charged
    return Math.max(now, this.day.from)
  }

  #advance(now: number): void {
    // A month begins with a day.
    if (now < this.day.from + dayMillis) return
    this.day.advance(now)
    this.month.advance(now)
  }
}
