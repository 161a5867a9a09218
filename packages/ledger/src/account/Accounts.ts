import { type BigMicroUsd, micro } from "@tollgate/contract/Money"
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
  readonly balance: BigMicroUsd
  readonly reserved: BigMicroUsd
  readonly toppedUp: BigMicroUsd
  readonly tier: Tier
  /** Those of the tier, unless the operator set others. */
  readonly allowance: Allowance
  readonly multiplier: Multiplier
}

export interface Key {
  readonly id: string
  readonly account: string
  readonly label: string
  readonly createdAt: number
  /** When it stops working, or has stopped. */
  readonly endsAt: number | null
  /** Whether it was revoked, or was refused because its time was over. It never works again, whatever the clock says. */
  readonly ended: boolean
  /** Whether it belongs to a grant. Lists of keys leave it out. */
  readonly isGrant: boolean
  /** The first key of its rotations. The fields below are shared by all of them. */
  readonly rootKey: string
  readonly spent: BigMicroUsd
  readonly reserved: BigMicroUsd
  readonly budget: BigMicroUsd | null
  readonly quota: BigMicroUsd | null
  readonly quotaPeriod: Period | null
  /** The start of the period in which something was last reserved or charged, and what was spent in it. */
  readonly quotaFrom: number
  readonly quotaSpent: BigMicroUsd
}

/** A payment, its reversal, a credit, a debit or the refund of a call. */
export interface Entry {
  readonly id: string
  /** The call that it refunds. */
  readonly call: string | null
  readonly kind: string
  readonly amount: bigint
  readonly note: string
  readonly at: number
}

export interface RefundTerms {
  /** If another account made the call, there is no such call. */
  readonly account?: string | undefined
  /** All of the charge by default. */
  readonly amount?: BigMicroUsd | undefined
  readonly entry?: string | undefined
}

export interface KeyTerms {
  readonly label?: string
  /** The most it may spend in total. */
  readonly budget?: BigMicroUsd | null
  /** The most it may spend in each period. */
  readonly quota?: { readonly amount: BigMicroUsd; readonly period: Period } | null
}

export interface AccountTerms {
  readonly label?: string
  /** `null`: by the amount topped up. */
  readonly tier?: Tier | null
  readonly rpm?: number | null
  readonly tpm?: number | null
  readonly concurrency?: number | null
  readonly multiplier?: Multiplier
}

/** A key in plain text, shown once and stored nowhere. */
export interface NewKey {
  readonly id: string
  readonly value: Redacted.Redacted
}

type Result<A> = Effect.Effect<A, AccountsError | SqlError>

/** Accounts, their keys and payments. For operators only: not part of the public API. */
export class Accounts extends Context.Service<
  Accounts,
  {
    readonly create: (label: string) => Result<Account>
    readonly list: Result<ReadonlyArray<Account>>
    readonly get: (id: string) => Result<Account>
    readonly change: (id: string, terms: AccountTerms) => Result<Account>
    /** A payment, which counts for the tier. Repeating an `entry` changes nothing; with other terms it is a conflict. */
    readonly topUp: (id: string, amount: BigMicroUsd, note: string, entry?: string) => Result<Account>
    /** Credits or debits without a payment. A debit may not exceed what is available. */
    readonly adjust: (id: string, amount: bigint, note: string, entry?: string) => Result<Account>
    /** Takes a payment back: the balance may go below zero, and what was paid in, and so the tier, is less. */
    readonly reverse: (id: string, amount: BigMicroUsd, reason: string, entry?: string) => Result<Account>
    /** Gives back what a call was charged, or a part of it, once. Usage reports and budgets stay as they are. */
    readonly refund: (call: string, reason: string, terms?: RefundTerms) => Result<Account>
    /** The last 500, the newest first. */
    readonly entries: (id: string) => Result<ReadonlyArray<Entry>>
    readonly createKey: (account: string, terms: KeyTerms) => Result<NewKey>
    /** Stores a key that exists already. Storing the same key again changes nothing. */
    readonly adoptKey: (account: string, key: Redacted.Redacted, label: string) => Result<string>
    readonly listKeys: (account?: string) => Result<ReadonlyArray<Key>>
    readonly getKey: (id: string) => Result<Key>
    /** Changes the label of this key, and the budget and quota of all its rotations. */
    readonly changeKey: (id: string, terms: KeyTerms) => Result<Key>
    readonly revokeKey: (id: string) => Result<Key>
    /** A new key with the same budget and quota. The old one works for another `graceMillis`. */
    readonly rotateKey: (id: string, graceMillis: number) => Result<NewKey>
  }
>()("@tollgate/ledger/Accounts") {}

/** The credit of a new account, in micro-USD. */
export const SignupCredit = Context.Reference<BigMicroUsd>("@tollgate/ledger/SignupCredit", {
  defaultValue: () => micro(5_000_000n)
})
