import type { BigMicroUsd } from "@tollgate/contract/Money"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { type Row, text } from "../store/rows.ts"
import type { Statement, Statements } from "../store/statements.ts"
import { AccountBalance, balanceColumns, KeyBalance, type Short } from "./Balance.ts"
import type { Reservation } from "./Reservation.ts"

type Owner = Pick<Reservation, "account" | "key">

/** Each key with the terms and sums of its root key. */
const keys =
  `(SELECT k.id, p.id AS root_key, p.reserved, ${balanceColumns}` +
  " FROM keys k JOIN keys p ON p.id = COALESCE(k.root_key, k.id)) AS balances"

/** Accounts before keys: a transaction that waits for an account's lock holds none of its keys. */
export const selectBalances = (
  { byIds }: Statements,
  owners: ReadonlyArray<Owner>
): readonly [Statement, Statement] => [
  byIds("id, balance, reserved", "accounts", [...new Set(owners.map(({ account }) => account))]),
  byIds("*", keys, [...new Set(owners.map(({ key }) => key))])
]

export interface BalanceUpdates {
  readonly account: string
  readonly key: string
}

/** Built once: the driver finds a prepared statement faster by the same string. */
export const balanceUpdates = ({ mark }: Statements): BalanceUpdates => ({
  account: `UPDATE accounts SET balance = ${mark(1)}, reserved = ${mark(2)} WHERE id = ${mark(3)}`,
  key:
    `UPDATE keys SET spent = ${mark(1)}, reserved = ${mark(2)}, day_from = ${mark(3)}, day_spent = ${mark(4)},` +
    ` month_from = ${mark(5)}, month_spent = ${mark(6)} WHERE id = ${mark(7)}`
})

/** The balances that a group of commands touches: read once, changed in memory, written once. */
export class Balances {
  readonly #accounts = new Map<string, AccountBalance>()
  readonly #byRootKey = new Map<string, KeyBalance>()
  readonly #byKey = new Map<string, KeyBalance>()

  has({ account, key }: Owner): boolean {
    return this.#accounts.has(account) && (key === "" || this.#byKey.has(key))
  }

  account(id: string): AccountBalance | undefined {
    return this.#accounts.get(id)
  }

  key(id: string): KeyBalance | undefined {
    return this.#byKey.get(id)
  }

  /** Keeps balances that are already known: they may have changed since these rows were written. */
  add(accounts: ReadonlyArray<Row>, keys: ReadonlyArray<Row>): void {
    for (const row of accounts) {
      const id = text(row, "id")
      if (!this.#accounts.has(id)) this.#accounts.set(id, new AccountBalance(row))
    }
    for (const row of keys) {
      // Rotated keys share one balance.
      const balance = this.#byRootKey.get(text(row, "root_key")) ?? new KeyBalance(row)
      this.#byRootKey.set(balance.rootKey, balance)
      this.#byKey.set(text(row, "id"), balance)
    }
  }

  /** Reserves the amount if account and budgets allow it. Otherwise says why not. `free` needs no money. */
  tryReserve(reservation: Reservation, now: number, free: boolean): Refused | Short | undefined {
    const { account, amount, key } = reservation
    const accountBalance = this.#accounts.get(account)
    const keyBalance = this.#byKey.get(key)
    if (accountBalance === undefined) return refuse("invalid_credential", "The account no longer exists.")
    // A token that speaks for the whole account has an empty key.
    if (keyBalance === undefined && key !== "") return refuse("invalid_credential", "The key no longer exists.")
    const lacks = free
      ? undefined
      : (keyBalance?.refusal(amount, now) ??
        accountBalance.refusal(amount) ??
        keyBalance?.shortage(amount, now) ??
        accountBalance.shortage(amount))
    if (lacks !== undefined) return lacks
    accountBalance.reserve(amount)
    keyBalance?.reserve(amount, now)
    return undefined
  }

  /** Reserves without a check, for a reservation that was decided before. */
  reserve({ account, amount, key }: Reservation, now: number): void {
    this.#accounts.get(account)?.reserve(amount)
    this.#byKey.get(key)?.reserve(amount, now)
  }

  /** Ends the reservation and charges `charged`, which may be zero. Returns when it counts towards the key's budgets. */
  charge({ account, amount, key }: Reservation, charged: BigMicroUsd, now: number): number {
    this.#accounts.get(account)?.charge(amount, charged)
    return this.#byKey.get(key)?.charge(amount, charged, now) ?? now
  }

  of(owners: ReadonlyArray<Owner>): Balances {
    const some = new Balances()
    for (const { account, key } of owners) {
      const accountBalance = this.#accounts.get(account)
      const keyBalance = this.#byKey.get(key)
      if (accountBalance !== undefined) some.#accounts.set(account, accountBalance)
      if (keyBalance === undefined) continue
      some.#byKey.set(key, keyBalance)
      some.#byRootKey.set(keyBalance.rootKey, keyBalance)
    }
    return some
  }

  writes({ account, key }: BalanceUpdates): ReadonlyArray<Statement> {
    const writes: Array<Statement> = []
    for (const { balance, id, reserved } of this.#accounts.values()) {
      writes.push({ text: account, values: [balance, reserved, id] })
    }
    for (const { day, month, reserved, rootKey, spent } of this.#byRootKey.values()) {
      writes.push({ text: key, values: [spent, reserved, day.from, day.spent, month.from, month.spent, rootKey] })
    }
    return writes
  }
}
