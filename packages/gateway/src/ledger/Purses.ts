import type { MicroUsd } from "@tollgate/contract/Money"
import { refuse, type Refused } from "../Refused.ts"
import { type Row, text } from "../store/rows.ts"
import type { Statement, Statements } from "../store/statements.ts"
import type { Reservation } from "./Ledger.ts"
import { AccountPurse, KeyPurse } from "./Purse.ts"

type Owned = Pick<Reservation, "account" | "key">

/** Each key with the purse it spends from, which is in the row of the first key where others came from it by rotation. */
const keys =
  "(SELECT k.id, p.id AS purse, p.budget, p.spent, p.reserved, p.quota, p.quota_period, p.quota_from, p.quota_spent" +
  " FROM keys k JOIN keys p ON p.id = COALESCE(k.purse, k.id)) AS purses"

/** Accounts first: who waits for one holds none of its purses yet. */
export const pursesOf = ({ byIds }: Statements, owners: ReadonlyArray<Owned>): readonly [Statement, Statement] => [
  byIds("id, balance, reserved", "accounts", [...new Set(owners.map(({ account }) => account))]),
  byIds("*", keys, [...new Set(owners.map(({ key }) => key))])
]

export interface PurseTexts {
  readonly account: string
  readonly key: string
}

/** Made once: a known text finds its statement faster. */
export const purseTexts = ({ mark }: Statements): PurseTexts => ({
  account: `UPDATE accounts SET balance = ${mark(1)}, reserved = ${mark(2)} WHERE id = ${mark(3)}`,
  key:
    `UPDATE keys SET spent = ${mark(1)}, reserved = ${mark(2)}, quota_from = ${mark(3)}, quota_spent = ${mark(4)}` +
    ` WHERE id = ${mark(5)}`
})

/** The accounts and keys that a group of commands touches: read once, changed in memory, written once. */
export class Purses {
  readonly #accounts = new Map<string, AccountPurse>()
  readonly #purses = new Map<string, KeyPurse>()
  readonly #byKey = new Map<string, KeyPurse>()

  has({ account, key }: Owned): boolean {
    return this.#accounts.has(account) && (key === "" || this.#byKey.has(key))
  }

  /** What is known already stays as it is: it may have changed since these rows were written. */
  add(accounts: ReadonlyArray<Row>, keys: ReadonlyArray<Row>): void {
    for (const row of accounts) {
      const id = text(row, "id")
      if (!this.#accounts.has(id)) this.#accounts.set(id, new AccountPurse(row))
    }
    for (const row of keys) {
      // Keys that share a purse find the same one.
      const purse = this.#purses.get(text(row, "purse")) ?? new KeyPurse(row)
      this.#purses.set(purse.id, purse)
      this.#byKey.set(text(row, "id"), purse)
    }
  }

  /** Sets the amount aside, or says why not. */
  take(reservation: Reservation, now: number): Refused | undefined {
    const { account, amount, key } = reservation
    const purse = this.#accounts.get(account)
    const own = this.#byKey.get(key)
    if (purse === undefined) return refuse("invalid_credential", "The account no longer exists.")
    // A credential that is no key has none.
    if (own === undefined && key !== "") return refuse("invalid_credential", "The key no longer exists.")
    const refusal = own?.refusal(amount, now) ?? purse.refusal(amount)
    if (refusal !== undefined) return refusal
    this.grant(reservation, now)
    return undefined
  }

  /** Sets aside what was decided on before. */
  grant({ account, amount, key }: Reservation, now: number): void {
    this.#accounts.get(account)?.take(amount)
    this.#byKey.get(key)?.take(amount, now)
  }

  /** Ends what was set aside; `charged` of it is spent. */
  give({ account, amount, key }: Reservation, charged: MicroUsd, endedAt: number): void {
    this.#accounts.get(account)?.give(amount, charged)
    this.#byKey.get(key)?.give(amount, charged, endedAt)
  }

  writes({ account, key }: PurseTexts): ReadonlyArray<Statement> {
    const writes: Array<Statement> = []
    for (const { balance, id, reserved } of this.#accounts.values()) {
      writes.push({ text: account, values: [balance, reserved, id] })
    }
    for (const { id, quotaFrom, quotaSpent, reserved, spent } of this.#purses.values()) {
      writes.push({ text: key, values: [spent, reserved, quotaFrom, quotaSpent, id] })
    }
    return writes
  }
}
