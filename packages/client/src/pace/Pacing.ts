import type { Allowance, Tier } from "@tollgate/contract/Tier"

/** Rate limits, shared by all clients of this process with the same credential and address. */
export interface Pacing extends Partial<Allowance> {
  /** The assumed tier, until response headers report the limits. Default: the lowest. Numbers set beside it are never exceeded. */
  readonly tier?: Exclude<Tier, "Enterprise">
  /** The longest wait for a permit; a call that would wait longer in any case fails at once. Defaults to that of `retry`. */
  readonly patienceMillis?: number
}
