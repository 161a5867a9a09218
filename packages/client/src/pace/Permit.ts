import type { Allowance, Tier } from "@tollgate/contract/Tier"
import type { LimitGroup } from "@tollgate/contract/limits"
import type * as Context from "effect/Context"
import type { Bucket, Limit } from "./Bucket.ts"

/** Rate limits, shared by all clients of this process with the same credential and address. */
export interface Pacing extends Partial<Allowance> {
  /** The assumed tier, until response headers report the limits. Default: the lowest. Numbers set beside it are never exceeded. */
  readonly tier?: Exclude<Tier, "Enterprise">
  /** The longest wait for a permit; a call that would wait longer in any case fails at once. Defaults to that of `retry`. */
  readonly patienceMillis?: number
}

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

/**
 * In Cloudflare Workers a request must not resume a call of another one, and an aborted request just stops, without cleaning
 * up. There each waiting call looks for its turn itself, and what it holds expires.
 */
export const isPolled = "WebSocketPair" in globalThis

export const firstLookMillis = 10
export const longestLookMillis = 250

/** A waiting call that has not looked for this long belongs to a request that stopped. */
export const goneMillis = 2_000

/** A slot is assumed free after this time, because its request may have stopped. */
export const heldMillis = 30_000
