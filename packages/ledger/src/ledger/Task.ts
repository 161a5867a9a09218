import type { BigMicroUsd, NanoUsd } from "@tollgate/contract/Money"
import type { Multiplier } from "@tollgate/contract/price/Price"
import type { TaskStatus } from "@tollgate/contract/Task"
import type { Reservation } from "./Reservation.ts"

/** What is stored when an upstream has accepted a task. */
export interface StartedTask {
  /** The gateway's id of the task: random, and the only one that callers see. */
  readonly id: string
  /** The upstream's id of the task. */
  readonly upstreamId: string
  readonly provider: string
  /** Whose concurrent tasks are counted together: see `ownerOf`. */
  readonly owner: string
  /** The terms at the time of the create: the price of the whole task, and the account's multiplier. */
  readonly price: NanoUsd
  readonly multiplier: Multiplier
  /** How the price depends on what the finished task reports, as `encodeAtEnd` writes it. */
  readonly terms?: string | undefined
  /** What the upstream charges for it, if its prices are known: an amount, and terms like those of the price. */
  readonly cost?: NanoUsd | undefined
  readonly costTerms?: string | undefined
  readonly status: TaskStatus
  /** The answer to a poll as JSON, without the request id. */
  readonly body: string
}

export interface FinishedTask {
  readonly id: string
  readonly status: TaskStatus
  readonly body: string
  /** When the task is deleted from the store. */
  readonly expiresAt: number
}

export interface RunningTask extends StartedTask {
  readonly reservation: Reservation
  readonly createdAt: number
}

/** What started a task, and how long it is known. */
export interface TaskTerm {
  readonly operation: string
  readonly createdAt: number
  /** `null`: it runs. */
  readonly endedAt: number | null
  /** `null`: it runs, and is kept for a while after its end. */
  readonly expiresAt: number | null
}

export interface ListedTask {
  readonly id: string
  /** The request id of the call that started it. */
  readonly call: string
  readonly operation: string
  readonly status: string
  /** The state of the call. */
  readonly state: "running" | "settled" | "released" | "unknown"
  readonly createdAt: number
  readonly endedAt: number | null
  readonly reserved: BigMicroUsd
  readonly charged: BigMicroUsd
}
