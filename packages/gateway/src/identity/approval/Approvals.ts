import type { BigMicroUsd } from "@tollgate/contract/Money"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { SqlError } from "effect/sql/SqlError"
import type { UsedApproval } from "../../exchange/Exchange.ts"
import type { Grant } from "../grant/Grants.ts"

/** A call that a person has to approve. */
export interface Approval {
  /** `ap_…` */
  readonly id: string
  readonly account: string
  readonly grant: string
  readonly operation: string
  /** All of the request, for the person to read. */
  readonly request: string
  readonly likely: BigMicroUsd
  /** The most that the call may cost, if the person approves it. */
  readonly most: BigMicroUsd
  readonly createdAt: number
  /** Until then the person can decide, and the call can be made. */
  readonly endsAt: number
  /** `undefined`: nobody has decided. */
  readonly decision: Decision | undefined
  readonly decidedAt: number | undefined
  /** The call that was made with it. */
  readonly call: string | undefined
  /** A call without an idempotency key used it, and was not made: its gateway was killed. Nothing can use it again. */
  readonly isLost: boolean
}

export type Decision = "yes" | "no"

/** Whether nobody can decide any more and the call cannot be made: its time is over, it was lost, or the grant has ended. */
export const isApprovalOver = (
  { endsAt, isLost }: Approval,
  grant: Pick<Grant, "ended"> | undefined,
  now: number
): boolean => endsAt <= now || isLost || grant?.ended !== false

/** What a person is asked. `digest` stands for the exact request. */
export type Asked = Pick<Approval, "account" | "grant" | "operation" | "request" | "likely" | "most"> & {
  readonly digest: string
}

/** A call that needs approval. */
export interface Needing {
  readonly grant: string
  readonly digest: string
  readonly call: string
  /** The most that it can cost. */
  readonly most: BigMicroUsd
  /** The id of its idempotency key. A repeat with the same one uses the same approval: the ledger runs the call once. */
  readonly idempotency: string | undefined
}

/** The approval of one call by a person. */
export class Approvals extends Context.Service<
  Approvals,
  {
    /** Asks the person, or finds that the same was asked. `none`: too many calls of this grant wait for a decision, or too long ones. */
    readonly ask: (asked: Asked) => Effect.Effect<Option.Option<Approval>, SqlError>
    /** Uses an approval for this call, which no other call can then use. `none`: there is none. */
    readonly take: (needing: Needing) => Effect.Effect<Option.Option<UsedApproval>, SqlError>
    /** Records the call that was made with an approval, if another one used it first. */
    readonly made: (used: UsedApproval, call: string) => Effect.Effect<void, SqlError>
    /**
     * The call was refused after all, so that the approval can be used again. One with an idempotency key keeps its approval: a repeat can
     * use it, and another call with that key may be running.
     */
    readonly giveBack: (call: string) => Effect.Effect<void, SqlError>
    readonly find: (id: string) => Effect.Effect<Option.Option<Approval>, SqlError>
    /** Of an account: those that wait first, then the newest. */
    readonly list: (account: string) => Effect.Effect<ReadonlyArray<Approval>, SqlError>
    /** The first decision counts. Returns what was decided; `none`: it has ended. Whose it is the caller has to check. */
    readonly decide: (id: string, decision: Decision) => Effect.Effect<Option.Option<Decision>, SqlError>
    /** Waits for the decision. `none`: the time to decide is over, or access was taken back. */
    readonly decided: (id: string) => Effect.Effect<Option.Option<Decision>, SqlError>
  }
>()("@tollgate/gateway/Approvals") {}
