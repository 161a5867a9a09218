import { codes, costsNothing, isCode } from "@tollgate/contract/errors/codes"
import type { Replay } from "@tollgate/contract/Operation"
import type { Charge, Outcome } from "@tollgate/contract/Outcome"

/** The part of a failed attempt that the rules use. */
export interface Failed {
  readonly _tag: string
  readonly outcome: Outcome
  readonly status?: number
  readonly code?: string
  readonly charge?: Charge
  /** Milliseconds. */
  readonly retryAfter?: number
}

/** The server, or a proxy before it, was busy or unavailable. A 500 and other 4xx are not transient. */
const passing = new Set([429, 502, 503, 504])

/** A refusal that retrying does not fix. */
const isLasting = (code: string | undefined): boolean =>
  code !== undefined && isCode(code) && costsNothing(code) && !codes[code].repeat

const isTransient = ({ _tag, code, status }: Failed): boolean =>
  _tag === "TransportFailed" || (status !== undefined && passing.has(status) && !isLasting(code))

export const isProven = ({ outcome }: Failed): boolean => outcome === "not executed"

/** Says what became of an earlier call with the same key. */
export const isOfKey = ({ code }: Pick<Failed, "code">): boolean => code?.startsWith("idempotency_") === true

/** An earlier call with the same key is still running. Sending it again with the key waits for its answer. */
export const isInFlight = ({ code, status }: Failed): boolean => status === 409 && code === "idempotency_in_flight"

/** Whether a failed attempt may be retried. `keyed`: attempts share an idempotency key. */
export const rules: Readonly<Record<Replay, (failed: Failed, keyed: boolean) => boolean>> = {
  free: isTransient,
  billed: (failed, keyed) => (isTransient(failed) && (isProven(failed) || keyed)) || (isInFlight(failed) && keyed),
  create: (failed, keyed) => (isTransient(failed) && isProven(failed)) || (isInFlight(failed) && keyed)
}

/** A client's retry budget. */
export interface Tokens {
  /** Takes one token; `false` if none is left. */
  readonly take: () => boolean
  readonly succeeded: () => void
}

/** Counted in thousandths, so that sums of tenths do not drift. */
const unit = 1_000

export const make = ({ perSuccess, tokens }: Policy["budget"]): Tokens => {
  const most = tokens * unit
  let left = most
  return {
    take: () => {
      if (left < unit) return false
      left -= unit
      return true
    },
    succeeded: () => {
      left = Math.min(most, left + Math.round(perSuccess * unit))
    }
  }
}

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
    /** How many retries it allows at first, and at most. */
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
