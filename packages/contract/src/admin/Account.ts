import type { Amount } from "../account/Amount.ts"

/** An account: `GET /admin/v1/accounts`. */
export interface Account {
  readonly id: string
  readonly label: string
  readonly created_at: string
  readonly balance_micros_usd: Amount
  readonly reserved_micros_usd: Amount
  readonly topped_up_micros_usd: Amount
  readonly tier: string
  readonly rpm: number
  readonly tpm: number
  readonly concurrency: number
  readonly multiplier: string
}

/** A key: `GET /admin/v1/accounts/<id>/keys`. */
export interface Key {
  readonly id: string
  readonly account: string
  readonly label: string
  readonly created_at: string
  readonly ends_at: string | null
  readonly spent_micros_usd: Amount
  readonly reserved_micros_usd: Amount
  readonly budget_micros_usd: Amount | null
  readonly quota: { readonly amount_micros_usd: Amount; readonly period: string } | null
}

/** The only answer with the key itself. */
export interface NewKey extends Key {
  readonly key: string
}

/** A top-up or an adjustment: `GET /admin/v1/accounts/<id>/entries`, the newest first. */
export interface Entry {
  readonly id: string
  readonly kind: string
  readonly amount_micros_usd: Amount
  readonly note: string
  readonly at: string
}
