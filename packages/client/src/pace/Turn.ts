import type { LimitGroup } from "@tollgate/contract/Tier"
import type * as Context from "effect/Context"
import type { Bucket } from "./Bucket.ts"
import type { Limit } from "./Limit.ts"

/** What a call needs before it may go. */
export interface Claim {
  readonly group: LimitGroup
  /** Missing where tokens do not count. */
  readonly tokens: number | undefined
  readonly concurrent: boolean
}

/** One call's turn: it waits, goes, is answered, and is over when its answer is read. */
export interface Turn {
  readonly claim: Claim
  readonly group: Bucket
  readonly needs: ReadonlyArray<readonly [limit: Limit, units: number]>
  /** Those in the same lane need the same limits, and go in the order they came. */
  readonly lane: string
  readonly context: Context.Context<never>
  /** The limits that it has found too narrow. Nobody behind it gets any of these before it does. */
  readonly lacked: Set<Limit>
  state: "waiting" | "gone" | "answered" | "over"
  /** When it went, and what had been answered by then of the three limits by the minute. */
  left: number
  before: readonly [requests: number, group: number, tokens: number]
  go: () => void
}
