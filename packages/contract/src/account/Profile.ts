import type { Amount } from "./Amount.ts"

/** A quota of a key, and what is spent of it in the period in force. */
export interface ProfileQuota {
  readonly amount_micros_usd: Amount
  readonly period: string
  readonly spent_micros_usd: Amount
  readonly ends_at: string
}

/** Whom a credential stands for, and what it may still spend: `GET /account/v1`. */
export interface Profile {
  readonly credential: {
    readonly kind: "key" | "grant"
    readonly id: string
    /** The key's label, or the name of the program that a grant was given to. */
    readonly label: string
    /** What the credential sees: the calls of one key, or of the whole account. */
    readonly scope: "key" | "account"
    /** `null`: a key may do everything. */
    readonly scopes: ReadonlyArray<string> | null
    readonly ends_at: string | null
    readonly budget_micros_usd: Amount | null
    readonly spent_micros_usd: Amount
    readonly reserved_micros_usd: Amount
    readonly quota: ProfileQuota | null
  }
  readonly account: {
    readonly id: string
    readonly label: string
    readonly tier: string
    readonly rpm: number
    readonly tpm: number
    readonly concurrency: number
    readonly multiplier: string
    /** `null` for a credential with a budget or a quota of its own: it sees only what it may spend itself. */
    readonly balance_micros_usd: Amount | null
    readonly reserved_micros_usd: Amount | null
  }
  /** What a call may cost now: the least of balance, budget and quota. */
  readonly spendable_micros_usd: Amount
  /** Whether calls reach the built-in sandbox, so that scenarios can be tried. */
  readonly sandbox: boolean
  /** Whether this gateway has an authorization server, so that there can be grants. */
  readonly grants: boolean
}
