import { type MicroUsd, micro } from "@tollgate/contract/Money"
import type { Charge, CostState } from "@tollgate/contract/Outcome"
import type { TokenUsage } from "@tollgate/contract/price/evidence"
import type { Settlement } from "@tollgate/contract/price/settle"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Priced } from "../Exchange.ts"
import type { Refused } from "../Refused.ts"
import type { FinishedTask as Ended, StartedTask as Begun } from "../task/Task.ts"
import type { Ending } from "./Command.ts"

export interface Reservation {
  /** The id of the request, under which everything about the call is found. */
  readonly call: string
  readonly account: string
  readonly key: string
  readonly operation: string
  readonly amount: MicroUsd
  readonly createdAt: number
  /** Its answer is wanted for replays. */
  readonly keepAnswer: boolean
}

/** What a replay returns. */
export interface StoredAnswer {
  readonly status: number
  readonly contentType: string | undefined
  readonly bytes: Uint8Array
}

export interface Idempotency {
  /** Stands for the caller's key, within the account and operation. */
  readonly id: string
  /** A digest of the request: the same key must come with the same one. */
  readonly payload: string
  /** Whether a completed call is answered again, or refused with 409. */
  readonly replay: boolean
}

export type Reserved =
  | { readonly kind: "reserved"; readonly reservation: Reservation }
  | { readonly kind: "replay"; readonly answer: StoredAnswer }

/** How a call that ran ended. */
export interface Settled {
  readonly settlement: Settlement
  /** `estimated` where the answer did not prove its cost. */
  readonly costState: Extract<CostState, "settled" | "estimated">
  readonly answer: StoredAnswer
  readonly evidence: string
  readonly usage: TokenUsage
}

/**
 * Where money is kept. A call that can be billed is reserved before it is made and ends exactly once: settled with what
 * it cost, released on proof that nothing ran, or held because that is not known. One that starts a task ends with it.
 * Each of these is durable when its effect succeeds; a reservation without a key outlives the process then, and the machine
 * as soon as anything else is, a second later at most.
 */
export class Ledger extends Context.Service<
  Ledger,
  {
    readonly reserve: (exchange: Priced, idempotency: Idempotency | undefined) => Effect.Effect<Reserved, Refused>
    readonly settle: (reservation: Reservation, settled: Settled) => Effect.Effect<Charge, Refused>
    /** Nothing is charged: nothing ran, or it ran and failed. */
    readonly release: (reservation: Reservation, status: number) => Effect.Effect<void>
    readonly markUnknown: (reservation: Reservation) => Effect.Effect<void>
    /** The call goes on as a task; what is set aside for it stays so. */
    readonly begin: (reservation: Reservation, begun: Begun, answer: StoredAnswer) => Effect.Effect<Charge, Refused>
    /** Ends the task and its call in one commit, however long the store takes. A second time changes nothing. */
    readonly finish: (reservation: Reservation, ending: Ending & { readonly task: Ended }) => Effect.Effect<void>
  }
>()("@tollgate/gateway/Ledger") {
  /** Nobody is billed: for a gateway that only routes, and for measuring what billing costs. */
  static readonly layerOff = Layer.succeed(Ledger, {
    reserve: ({ operation, requestId }) => Effect.succeed(unrecorded(requestId, operation.id)),
    settle: () => Effect.succeed({ state: "none" }),
    release: () => Effect.void,
    markUnknown: () => Effect.void,
    begin: () => Effect.succeed({ state: "none" }),
    finish: () => Effect.void
  })
}

const nothing = micro(0n)

const unrecorded = (call: string, operation: string): Reserved => ({
  kind: "reserved",
  reservation: { call, account: "", key: "", operation, amount: nothing, createdAt: 0, keepAnswer: false }
})
