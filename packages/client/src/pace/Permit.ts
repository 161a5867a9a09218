import type { LimitGroup } from "@tollgate/contract/limits"
import type * as Context from "effect/Context"
import type { Bucket, Limit } from "./Bucket.ts"

/** What a call draws from the limits. */
export interface Claim {
  readonly group: LimitGroup
  /** Missing if the call is not limited by tokens. */
  readonly tokens: number | undefined
  readonly concurrent: boolean
}

/** One call's place in the queue, until its answer is read. */
export interface Permit {
  readonly claim: Claim
  readonly group: Bucket
  readonly needs: ReadonlyArray<readonly [limit: Limit, units: number]>
  /** Calls in the same lane need the same limits and go in order of arrival. */
  readonly lane: string
  readonly context: Context.Context<never>
  /** The limits that made it wait. Later calls do not get these before it does. */
  readonly blockedBy: Set<Limit>
  /** When it last looked for its turn, where calls do. */
  seenAt: number
  state: "waiting" | "sent" | "answered" | "ended"
  /** When it was sent, and the answered units of the three limits per minute at that time. */
  sentAt: number
  answeredBefore: readonly [requests: number, group: number, tokens: number]
  go: () => void
}
