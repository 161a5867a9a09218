import * as Context from "effect/Context"
import { micro, type NanoUsd } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import type { Estimate } from "@tollgate/contract/price/contracts"
import type { Price } from "@tollgate/contract/price/Price"
import type { Tags } from "@tollgate/contract/Tags"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Principal } from "../credential/Keys.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { FinishedTask, StartedTask } from "./Task.ts"
import type { Attempt, Idempotency, Reservation, Reserved } from "./Reservation.ts"
import type { Attempted, CallEnd } from "./Command.ts"
import type { Available } from "./available.ts"
import type { Settled, StoredAnswer } from "./Settled.ts"

/** Points on a call's path at which the crash tests end the process. */
export type Milestone = "approved" | "committing" | "committed" | "reserved" | "called" | "settled"

export type OnMilestone = ((milestone: Milestone) => void) | undefined
export const OnMilestone = Context.Reference<OnMilestone>("@tollgate/ledger/OnMilestone", {
  defaultValue: () => undefined
})

export type { Attempt, Idempotency, Available, Reservation, Reserved, Settled, StoredAnswer }

export interface ChargedCall {
  readonly call: string
  readonly charge: Charge
}

/** A call that is about to be sent: who pays it, and what it may cost. */
export interface PricedCall {
  readonly requestId: string
  readonly operation: { readonly id: string }
  /** `undefined`: the operation needs no credential. */
  readonly principal: Principal | undefined
  readonly model: string | undefined
  readonly tags?: Tags | undefined
  readonly price: Price
  readonly estimate: Estimate
  /** The most that the caller agrees to pay. */
  readonly cap?: NanoUsd
}

/**
 * Keeps the money. A billable call is reserved before it is sent and ends exactly once: settled with its cost, released on
 * proof that nothing ran, or marked unknown. Each effect is durable when it succeeds. The one exception is a reservation
 * without an idempotency key: it survives a crash of the process at once, and a power loss after a second at most.
 */
export class Ledger extends Context.Service<
  Ledger,
  {
    /** The refusal of any call that costs something, if balance, budget or quota is used up. Cheap, and a second old. */
    readonly exhausted: (principal: Principal) => Effect.Effect<Refused | undefined>
    /** What the caller may still spend. `undefined`: it is not known. */
    readonly left: (principal: Principal) => Effect.Effect<Available | undefined>
    /** Whether a call has used this idempotency key, by the key's id. */
    readonly isClaimed: (id: string) => Effect.Effect<boolean>
    /** `attempt`: of a call without an idempotency key. */
    readonly reserve: (
      call: PricedCall,
      idempotency: Idempotency | undefined,
      attempt?: Attempt
    ) => Effect.Effect<Reserved, Refused>
    /** Whether a call that was open has ended since. */
    readonly hasEnded: (call: string) => Effect.Effect<boolean>
    /** What the call that used this idempotency key was charged, if this key or one that it was rotated from made it. */
    readonly chargeOf: (id: string, rootKey: string) => Effect.Effect<ChargedCall | undefined, Refused>
    /** Tells the other gateways that the call of this idempotency key is to end. */
    readonly cancelElsewhere: (id: string, rootKey: string) => Effect.Effect<void>
    /** The stored answer of a call. `undefined`: it is not stored, or cannot be read. */
    readonly answerOf: (call: string) => Effect.Effect<StoredAnswer | undefined>
    /** Asks the gateway that executed a call to store its answer. Returns whether there can be another gateway. */
    readonly wantAnswer: (call: string) => Effect.Effect<boolean>
    readonly keepAnswer: (call: string, answer: StoredAnswer) => Effect.Effect<void>
    readonly settle: (reservation: Reservation, settled: Settled, by?: Attempted) => Effect.Effect<Charge, Refused>
    /** Charges nothing: nothing ran, or it ran and failed. `failed`: the answer says so in spite of its status. */
    readonly release: (
      reservation: Reservation,
      status: number,
      failed?: boolean,
      by?: Attempted
    ) => Effect.Effect<void>
    /** Ends the reservation of a call that this gateway refused after all. It does not count as a request. */
    readonly refuse: (reservation: Reservation, by?: Attempted) => Effect.Effect<void>
    /** The call may have run, and nothing more can be learned of it: its money is free, its key remembers. */
    readonly markUnknown: (reservation: Reservation, by?: Attempted) => Effect.Effect<void>
    /**
     * Keeps the amount reserved while the call runs as a task. `unknown`: the task is that of another call, and this one
     * was marked unknown.
     */
    readonly begin: (
      reservation: Reservation,
      begun: StartedTask,
      answer: StoredAnswer,
      by?: Attempted
    ) => Effect.Effect<Charge, Refused>
    /** Ends the task and its call in one commit, retried until the store takes it. Repeating it changes nothing. */
    readonly finish: (reservation: Reservation, end: CallEnd & { readonly task: FinishedTask }) => Effect.Effect<void>
  }
>()("@tollgate/ledger/Ledger") {
  /** Bills nobody: for a gateway that only routes, and to measure what billing costs. */
  static readonly layerOff = Layer.succeed(Ledger, {
    exhausted: () => Effect.undefined,
    left: () => Effect.undefined,
    isClaimed: () => Effect.succeed(false),
    reserve: ({ operation, requestId }) => Effect.succeed(unrecorded(requestId, operation.id)),
    hasEnded: () => Effect.succeed(true),
    chargeOf: () => Effect.undefined,
    cancelElsewhere: () => Effect.void,
    answerOf: () => Effect.undefined,
    wantAnswer: () => Effect.succeed(false),
    keepAnswer: () => Effect.void,
    settle: () => Effect.succeed({ state: "none" }),
    release: () => Effect.void,
    refuse: () => Effect.void,
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
