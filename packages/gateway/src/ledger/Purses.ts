import type { MicroUsd } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import { refuse, type Refused } from "../Refused.ts"
import type * as Rows from "../store/rows.ts"
import type { Reservation } from "./Ledger.ts"
import { AccountPurse, KeyPurse } from "./Purse.ts"

type Owned = Pick<Reservation, "account" | "key">

/** The accounts and keys that a group of commands touches: read once, changed in memory, written once. */
export class Purses {
  readonly #accounts: ReadonlyMap<string, AccountPurse>
  readonly #keys: ReadonlyMap<string, KeyPurse>

  private constructor(accounts: ReadonlyArray<AccountPurse>, keys: ReadonlyArray<KeyPurse>) {
    this.#accounts = new Map(accounts.map((purse) => [purse.id, purse]))
    this.#keys = new Map(keys.map((purse) => [purse.id, purse]))
  }

  static readonly read = Effect.fnUntraced(function* (
    rows: ReturnType<typeof Rows.make>,
    owners: ReadonlyArray<Owned>
  ) {
    const accounts = [...new Set(owners.map(({ account }) => account))]
    const keys = [...new Set(owners.map(({ key }) => key))]
    return new Purses(
      (yield* rows.byIds("id, balance, reserved", "accounts", accounts)).map((row) => new AccountPurse(row)),
      (yield* rows.byIds(
        "id, budget, spent, reserved, quota, quota_period, quota_from, quota_spent",
        "keys",
        keys
      )).map((row) => new KeyPurse(row))
    )
  })

  /** Sets the amount aside, or says why not. */
  take({ account, amount, key }: Reservation, now: number): Refused | undefined {
    const purse = this.#accounts.get(account)
    const own = this.#keys.get(key)
    if (purse === undefined) return refuse("invalid_credential", "The account no longer exists.")
    own?.turn(now)
    const refusal = own?.refusal(amount, now) ?? purse.refusal(amount)
    if (refusal !== undefined) return refusal
    purse.reserved += amount
    if (own !== undefined) own.reserved += amount
    return undefined
  }

  /** Ends what was set aside; `charged` of it is spent. */
  give({ account, amount, key }: Reservation, charged: MicroUsd, now: number): void {
    const purse = this.#accounts.get(account)
    const own = this.#keys.get(key)
    if (purse !== undefined) {
      purse.reserved -= amount
      purse.balance -= charged
    }
    if (own !== undefined) {
      own.turn(now)
      own.reserved -= amount
      own.spent += charged
      own.quotaSpent += charged
    }
  }

  readonly write = Effect.fnUntraced(function* (this: Purses, rows: ReturnType<typeof Rows.make>) {
    const { mark } = rows
    for (const { balance, id, reserved } of this.#accounts.values()) {
      yield* rows.run(`UPDATE accounts SET balance = ${mark(1)}, reserved = ${mark(2)} WHERE id = ${mark(3)}`, [
        balance,
        reserved,
        id
      ])
    }
    for (const { id, quotaFrom, quotaSpent, reserved, spent } of this.#keys.values()) {
      yield* rows.run(
        `UPDATE keys SET spent = ${mark(1)}, reserved = ${mark(2)}, quota_from = ${mark(3)}, quota_spent = ${mark(4)}` +
          ` WHERE id = ${mark(5)}`,
        [spent, reserved, quotaFrom, quotaSpent, id]
      )
    }
  })
}
