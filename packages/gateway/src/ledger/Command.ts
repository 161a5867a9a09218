import type { Charge } from "@tollgate/contract/Outcome"
import type { Refused } from "../Refused.ts"
import type { Idempotency, Reservation, Reserved, Settled } from "./Ledger.ts"

/** What requests ask of the ledger; those that come together are committed together. */
export type Command =
  | {
      readonly ask: "reserve"
      readonly now: number
      readonly reservation: Reservation
      readonly idempotency: Idempotency | undefined
    }
  | { readonly ask: "settle"; readonly now: number; readonly reservation: Reservation; readonly settled: Settled }
  | { readonly ask: "release"; readonly now: number; readonly reservation: Reservation; readonly status: number }
  | { readonly ask: "hold"; readonly now: number; readonly reservation: Reservation }
  /** The gateway bears what the call may have cost; only a call whose end is unknown. */
  | { readonly ask: "write_off"; readonly now: number; readonly reservation: Reservation }

export type Ask<K extends Command["ask"]> = Extract<Command, { readonly ask: K }>

/** A refusal is a result like another: it does not undo what the rest of the group asked for. */
export type Result = Reserved | Refused | Charge
