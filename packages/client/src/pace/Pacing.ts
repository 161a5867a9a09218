import { type Allowance, allowances, type Tier } from "@tollgate/contract/Tier"

/** How fast a client's calls may go, all clients of this process with the same credential and address together. */
export interface Pacing extends Partial<Allowance> {
  /** Where the key is believed to be, until answers say what it is allowed. What is set besides is never exceeded. */
  readonly tier?: Exclude<Tier, "Enterprise">
  /** The longest wait for a turn. A call whose turn comes later fails at once. As in `retry` if it is not set. */
  readonly patienceMillis?: number
}

/** The tier whose limits these are, if there is one. */
export const tierOf = (rpm: number, tpm: number): Allowance | undefined =>
  Object.values(allowances).find((allowance) => allowance.rpm === rpm && allowance.tpm === tpm)
