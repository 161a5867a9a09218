/** The body of `PATCH /admin/v1/accounts/<id>`. `null` removes a tier or a limit. */
export interface AccountTerms {
  readonly label?: string
  readonly tier?: "Free" | "Starter" | "Growth" | "Enterprise" | null
  readonly rpm?: number | null
  readonly tpm?: number | null
  readonly concurrency?: number | null
  /** A decimal with up to six places: `1.45`. */
  readonly multiplier?: string
}

/** The body of a new key and of `PATCH /admin/v1/keys/<id>`. `null` removes a budget or a quota. */
export interface KeyTerms {
  readonly label?: string
  readonly budget_micros_usd?: number | null
  readonly quota?: { readonly amount_micros_usd: number; readonly period: "day" | "month" } | null
}

/** The body of a top-up or an adjustment. One `id` is booked once. */
export interface Booking {
  readonly amount_micros_usd: number
  readonly note?: string
  readonly id?: string
}
