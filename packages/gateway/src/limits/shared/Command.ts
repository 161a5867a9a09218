import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

/** The store of the limits does not answer. The message shows no credential. */
export class LimitStoreError extends Data.TaggedError("LimitStoreError")<{ readonly message: string }> {}

/** Counts the limits of all gateways that use it. */
export class LimitStore extends Context.Service<
  LimitStore,
  {
    /** Carries the commands out in their order, and answers each. Without commands it tries whether the store answers. */
    readonly run: (commands: ReadonlyArray<Command>) => Effect.Effect<ReadonlyArray<Answer>, LimitStoreError>
    /** The groups of a key that were used lately, not refilled. */
    readonly groups: (key: string) => Effect.Effect<ReadonlyArray<GroupState>, LimitStoreError>
  }
>()("@tollgate/gateway/limits/LimitStore") {}

/** The limits of a key that a command names. All are whole numbers from 0 to `maxLimit`. */
export interface Rates {
  readonly rpm: number
  readonly tpm: number
  /** A limit of requests for one group of operations. */
  readonly group: { readonly id: string; readonly rpm: number } | undefined
}

/** Refills the buckets, then takes everything that it asks for, or nothing. */
export interface Take extends Rates {
  readonly kind: "take"
  readonly key: string
  /** Takes one request of the key, and one of the group. */
  readonly request: boolean
  readonly tokens: number | undefined
  /** Counts the leases of the key; with an id it takes one more, if fewer than `most` are held. */
  readonly lease: { readonly id: string | undefined; readonly most: number } | undefined
}

/** Ends a call. A lease that is not held any more ends nothing: a repeated end changes nothing. */
export interface End {
  readonly kind: "end"
  readonly key: string
  readonly rpm: number
  readonly tpm: number
  readonly lease: string | undefined
  /** Tokens that were used beyond those taken, or returned if negative. */
  readonly correction: number | undefined
}

export type Command = Take | End

/** The limits by the store's time before anything was taken. What is used is in 1/60000 of a unit. */
export interface Answer {
  readonly now: number
  readonly isGranted: boolean
  readonly requestsUsed: number
  readonly tokensUsed: number
  readonly groupUsed: number
  readonly running: number
}

export interface GroupState {
  readonly id: string
  readonly limit: number
  readonly used: number
  readonly at: number
}

/** An hour's refill of a larger limit is beyond 2^53. */
const maxLimit = 2_500_000_000

export const countable = (limit: number): number => Math.min(Math.max(0, Math.trunc(limit)), maxLimit) || 0

const maxTokens = 1_000_000_000_000_000

export const countableTokens = (tokens: number): number =>
  Math.min(Math.max(-maxTokens, Math.trunc(tokens)), maxTokens) || 0
