/** How often and how long a call is retried. Whether it may be is decided by its replay class: see `rules.ts`. */
export interface Policy {
  /** How often a call is retried at most. Asking again for a call that is still in flight does not count. */
  readonly retries: number
  /** The waits between attempts are together no longer than this. A longer `Retry-After` fails at once. */
  readonly patienceMillis: number
  /** The first delay if the answer names none; each further one doubles. */
  readonly backoffMillis: number
  /** The longest backoff. A `Retry-After` within the patience is always honoured in full. */
  readonly longestMillis: number
  /** A retry budget shared by all calls of a client, so that retries do not multiply an outage. */
  readonly budget: {
    readonly tokens: number
    /** The part of a token that a success returns. A retry takes one token. */
    readonly perSuccess: number
  }
  /**
   * Sends an idempotency key with every call that costs or changes something. Turn it off for a gateway without a ledger:
   * then a call is retried only if it provably did not run.
   */
  readonly keys: boolean
}

export const standard: Policy = {
  retries: 3,
  patienceMillis: 60_000,
  backoffMillis: 250,
  longestMillis: 30_000,
  budget: { tokens: 10, perSuccess: 0.1 },
  keys: true
}

/** No retries. */
export const none: Policy = /* @__PURE__ */ Object.assign({}, standard, { retries: 0, patienceMillis: 0 })
