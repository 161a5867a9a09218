import type { BigMicroUsd } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import type { StoredAnswer } from "./Settled.ts"

/** The amount reserved for one call, and the account and key that pay it. */
export interface Reservation {
  /** The request id, which is also the id of the call. */
  readonly call: string
  readonly account: string
  readonly key: string
  readonly operation: string
  /** The model that the call names, as it is recorded. */
  readonly model?: string | undefined
  /** The call's tags as they are recorded: see `TagNames`. */
  readonly tags?: string | undefined
  readonly amount: BigMicroUsd
  /** The most that the caller pays, whatever the call turns out to cost. */
  readonly cap?: BigMicroUsd
  readonly createdAt: number
  /** Whether to store the answer for replays. */
  readonly keepAnswer: boolean
}

/** The result of a reservation: a reservation, or an earlier call that this one repeats. */
export type Reserved =
  | { readonly kind: "reserved"; readonly reservation: Reservation }
  | {
      readonly kind: "replay"
      readonly answer: StoredAnswer
      /** Of the earlier call. */
      readonly charge: Charge
    }
  /** An earlier attempt at the same call. `answered`: its answer is there, and this one is recorded as its replay. */
  | {
      readonly kind: "earlier"
      readonly call: string
      readonly state: "open" | "answered" | "ended"
      readonly charge: Charge
    }

export interface Idempotency {
  /** The caller's key, hashed together with account and operation. */
  readonly id: string
  /** A digest of the request. The same key must come with the same request. */
  readonly payload: string
  /** Whether to replay the answer of a completed call instead of refusing with 409. */
  readonly replay: boolean
}

/** A request of an SDK that counts its attempts at one call, in `X-Stainless-Retry-Count`. */
export interface Attempt {
  /** A digest of credential, operation and request: all attempts at a call have the same. */
  readonly digest: string
  /** 0: the first one, which is a call of its own unless a repeat has overtaken it. */
  readonly count: number
  /** When its first bytes arrived. */
  readonly since: number
  /** The call that this attempt belongs to, if that was decided before. */
  readonly of?: string
  /** Whether it is known to repeat a request that was not executed: then it is a call of its own. */
  readonly isNew?: boolean
  /** Whether the gateway has the answer of a call in memory. */
  readonly holds: (call: string) => boolean
}
