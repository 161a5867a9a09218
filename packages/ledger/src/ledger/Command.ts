import type { Charge } from "@tollgate/contract/Outcome"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { Short } from "./Balance.ts"
import type { FinishedTask, StartedTask } from "./Task.ts"
import type { Attempt, Idempotency, Reservation, Reserved } from "./Reservation.ts"
import type { Settled } from "./Settled.ts"
import type { StoredAnswer } from "./StoredAnswer.ts"

/** How the gateway's work on a call ends. `task` is set if the call ran as a task. */
export type CallEnd = { readonly task?: FinishedTask; readonly error?: string | undefined } & (
  | { readonly kind: "settle"; readonly settled: Settled }
  /** `failed`: the answer reports a failure in spite of its status. */
  | { readonly kind: "release"; readonly status: number; readonly failed?: boolean }
  | { readonly kind: "mark_unknown" }
)

/** One request to the ledger. Commands that arrive together are committed together. */
export type Command = {
  readonly now: number
  readonly reservation: Reservation
  /** The upstream that answered, and as JSON those that were tried. What is not known leaves the stored value. */
  readonly upstream?: string | undefined
  readonly tried?: string | undefined
  /** Why the call failed, as stored. */
  readonly error?: string | undefined
} &
  /** `free`: the price is zero, so an empty balance does not refuse it. */
  (
    | {
        readonly kind: "reserve"
        readonly idempotency: Idempotency | undefined
        readonly attempt?: Attempt | undefined
        readonly free?: boolean
      }
    /** The call was answered and goes on as a task. */
    | { readonly kind: "begin"; readonly begun: StartedTask; readonly answer: StoredAnswer }
    | CallEnd
    /** The gateway refused the call after it was reserved. It does not count as a request. */
    | { readonly kind: "refuse" }
    /** The ledger's own: the call got the stored answer of an earlier one. */
    | { readonly kind: "replay" }
  )

export type CommandOf<K extends Command["kind"]> = Extract<Command, { readonly kind: K }>

/** A refusal is a result too: it does not fail the other commands of the group. */
export type Result = Reserved | Refused | Short | Charge
