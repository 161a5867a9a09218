import type { MicroUsd } from "@tollgate/contract/Money"
import type { StoredAnswer } from "./StoredAnswer.ts"

/** The amount reserved for one call, and the account and key that pay it. */
export interface Reservation {
  /** The request id, which is also the id of the call. */
  readonly call: string
  readonly account: string
  readonly key: string
  readonly operation: string
  readonly amount: MicroUsd
  readonly createdAt: number
  /** Whether to store the answer for replays. */
  readonly keepAnswer: boolean
}

/** The result of a reservation: a reservation, or the stored answer of an earlier call under the same key. */
export type Reserved =
  | { readonly kind: "reserved"; readonly reservation: Reservation }
  | { readonly kind: "replay"; readonly answer: StoredAnswer }
