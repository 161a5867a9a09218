import type { NanoUsd } from "@tollgate/contract/Money"
import type { Multiplier } from "@tollgate/contract/price/Price"
import type { TaskStatus } from "@tollgate/contract/Task"
import type { Reservation } from "../ledger/Reservation.ts"

/** What is recorded of a task when an upstream has accepted it. */
export interface Begun {
  /** Ours. Nobody can guess it, and the upstream's own is shown to nobody. */
  readonly id: string
  readonly upstream: string
  /** The name of the upstream that has it. */
  readonly provider: string
  /** Of the key that asked, or the account where the credential is no key: whose tasks are counted together. */
  readonly purse: string
  /** For the whole task, and by what it is multiplied: what was agreed on when it was asked for. */
  readonly price: NanoUsd
  readonly multiplier: Multiplier
  readonly status: TaskStatus
  /** What a caller is shown of it, as JSON, but for the id of the request. */
  readonly body: string
}

/** What is recorded of it when nothing more will come. */
export interface Ended {
  readonly id: string
  readonly status: TaskStatus
  readonly body: string
  /** From then on the id is not known any more. */
  readonly expiresAt: number
}

/** A task that has not ended, with what is set aside for it. */
export interface Running extends Begun {
  readonly reservation: Reservation
  readonly createdAt: number
}
