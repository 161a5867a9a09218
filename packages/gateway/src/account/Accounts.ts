import { type MicroUsd, micro } from "@tollgate/contract/Money"
import type { Multiplier } from "@tollgate/contract/price/Price"
import type { Allowance, Tier } from "@tollgate/contract/Tier"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { SqlError } from "effect/sql/SqlError"
import type { Period } from "../ledger/Period.ts"

/** What was asked for does not fit what is stored; in words for an operator. */
export class AccountsError extends Data.TaggedError("AccountsError")<{
  readonly reason: "missing" | "conflict"
  readonly message: string
}> {}

export interface Account {
  readonly id: string
  readonly label: string
  readonly createdAt: number
  readonly balance: MicroUsd
  readonly reserved: MicroUsd
  readonly toppedUp: MicroUsd
  readonly tier: Tier
  /** The tier's, or what the operator set. */
  readonly allowance: Allowance
  readonly multiplier: Multiplier
}

export interface Key {
  readonly id: string
  readonly account: string
  readonly label: string
  readonly createdAt: number
  /** When it stops working; in the past where it was revoked. */
  readonly endsAt: number | null
  /** The first of the keys that came from each other by rotation. What follows is of all of them together. */
  readonly purse: string
  readonly spent: MicroUsd
  readonly reserved: MicroUsd
  readonly budget: MicroUsd | null
  readonly quota: MicroUsd | null
  readonly quotaPeriod: Period | null
}

export interface KeyTerms {
  readonly label?: string
  /** The most it may spend in all. */
  readonly budget?: MicroUsd | null
  /** The most it may spend in each period. */
  readonly quota?: { readonly amount: MicroUsd; readonly period: Period } | null
}

export interface AccountTerms {
  readonly label?: string
  /** `null`: by what is topped up. */
  readonly tier?: Tier | null
  readonly rpm?: number | null
  readonly tpm?: number | null
  readonly concurrency?: number | null
  readonly multiplier?: Multiplier
}

/** A key in clear, which is shown once and kept nowhere. */
export interface NewKey {
  readonly id: string
  readonly value: Redacted.Redacted
}

type Result<A> = Effect.Effect<A, AccountsError | SqlError>

/** Accounts, their keys and what is paid in. For operators: none of it is on the public interface. */
export class Accounts extends Context.Service<
  Accounts,
  {
    readonly create: (label: string) => Result<Account>
    readonly list: Result<ReadonlyArray<Account>>
    readonly get: (id: string) => Result<Account>
    readonly change: (id: string, terms: AccountTerms) => Result<Account>
    /** A payment: it counts for the tier. `entry` makes repeating it harmless; with other terms it is a conflict. */
    readonly topUp: (id: string, amount: MicroUsd, note: string, entry?: string) => Result<Account>
    /** Given or taken back without a payment; may be negative down to what is not reserved. */
    readonly adjust: (id: string, amount: bigint, note: string, entry?: string) => Result<Account>
    readonly createKey: (account: string, terms: KeyTerms) => Result<NewKey>
    /** Stores a key that exists already. Storing the same key again changes nothing. */
    readonly adoptKey: (account: string, key: Redacted.Redacted, label: string) => Result<string>
    readonly listKeys: (account?: string) => Result<ReadonlyArray<Key>>
    readonly getKey: (id: string) => Result<Key>
    /** Its own label; budget and quota of all the keys that share its purse. */
    readonly changeKey: (id: string, terms: KeyTerms) => Result<Key>
    readonly revokeKey: (id: string) => Result<Key>
    /** A new key from the same purse, on the same terms; the old one works for `graceMillis` more. */
    readonly rotateKey: (id: string, graceMillis: number) => Result<NewKey>
  }
>()("@tollgate/gateway/Accounts") {}

/** What a new account is given, in micro-USD. */
export const SignupCredit = Context.Reference<MicroUsd>("@tollgate/gateway/SignupCredit", {
  defaultValue: () => micro(5_000_000n)
})
