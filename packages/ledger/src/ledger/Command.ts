import type { Refused, TriedUpstream } from "@tollgate/contract/errors/Refused"
import type { Charge } from "@tollgate/contract/Outcome"
import type { Short } from "./Balance.ts"
import type { FinishedTask, StartedTask } from "./Task.ts"
import type { Attempt, Idempotency, Reservation, Reserved } from "./Reservation.ts"
import type { Settled, StoredAnswer } from "./Settled.ts"

/** Which upstreams a call was sent to, and why it failed. */
export interface Attempted {
  /** The name of the one that answered. */
  readonly provider?: string | undefined
  /** All that were tried, in order. `undefined`: the first one answered. */
  readonly tried?: ReadonlyArray<TriedUpstream> | undefined
  readonly error?: CallError | undefined
}

/** Why a call failed, as its caller was told. */
export interface CallError {
  /** `undefined`: an upstream that gave none. */
  readonly code?: string | undefined
  readonly message: string
}

/** A message may be any text of an upstream. */
const longestMessage = 500

const isCode = /^[\w.:/-]{1,64}$/

const plain = (message: string): string =>
  message
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, longestMessage)
    .toWellFormed()

/** As stored: the code, a space, and the start of the message. Without a code the space comes first. */
export const encodeError = ({ code = "", message }: CallError): string =>
  `${isCode.test(code) ? code : ""} ${plain(message)}`

export const errorIn = (stored: string): { readonly code: string | null; readonly message: string } => {
  const at = stored.indexOf(" ")
  return { code: stored.slice(0, at) || null, message: stored.slice(at + 1) }
}

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
