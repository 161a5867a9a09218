import type { Charge } from "@tollgate/contract/Outcome"
import type { Refused } from "../Refused.ts"
import type { FinishedTask as Ended, StartedTask as Begun } from "../task/Task.ts"
import type { Idempotency, Reservation, Reserved, Settled, StoredAnswer } from "./Ledger.ts"

/** The end of a call; with that of its task, where it has one. */
export type Ending = { readonly task?: Ended } & (
  | { readonly ask: "settle"; readonly settled: Settled }
  | { readonly ask: "release"; readonly status: number }
  | { readonly ask: "hold" }
)

/** What requests ask of the ledger; those that come together are committed together. */
export type Command = { readonly now: number; readonly reservation: Reservation } & (
  | { readonly ask: "reserve"; readonly idempotency: Idempotency | undefined }
  /** The call was answered, and goes on as a task: it ends when that does. */
  | { readonly ask: "begin"; readonly begun: Begun; readonly answer: StoredAnswer }
  | Ending
  /** The gateway bears what the call may have cost; only a call whose end is unknown. */
  | { readonly ask: "write_off" }
)

export type Ask<K extends Command["ask"]> = Extract<Command, { readonly ask: K }>

/** A refusal is a result like another: it does not undo what the rest of the group asked for. */
export type Result = Reserved | Refused | Charge
