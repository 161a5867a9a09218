/** How hard a call tries. Whether it may try again at all is decided by its replay class: see `rules.ts`. */
export interface Policy {
  /** Times that a call is sent at most. Asking after a call that is still under way does not count. */
  readonly attempts: number
  /** No attempt begins later than this after the first one did. A longer `Retry-After` fails at once. */
  readonly patienceMillis: number
  /** The first wait where the answer names none; each further one is twice as long. */
  readonly backoffMillis: number
  /** No wait of our own is longer. A `Retry-After` that fits into the patience is waited for in full. */
  readonly longestMillis: number
  /** Shared by all calls of a client, so that an outage is not multiplied. */
  readonly budget: {
    readonly tokens: number
    /** What a success gives back of the one token that a retry takes. */
    readonly perSuccess: number
  }
  /**
   * Sends an idempotency key with every call that costs or changes something. Turn it off for a gateway that keeps no
   * ledger: then only a call that is proven not to have run is sent again.
   */
  readonly keys: boolean
}

export const standard: Policy = {
  attempts: 4,
  patienceMillis: 60_000,
  backoffMillis: 250,
  longestMillis: 30_000,
  budget: { tokens: 10, perSuccess: 0.1 },
  keys: true
}

/** One attempt. */
export const none: Policy = { ...standard, attempts: 1, patienceMillis: 0 }
