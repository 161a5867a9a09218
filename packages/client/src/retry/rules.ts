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

/** An earlier call with the same key is still running. Sending it again with the key waits for its answer. */
export const isInFlight = ({ code, status }: Failed): boolean => status === 409 && code === "idempotency_in_flight"

/** Whether a failed attempt may be retried. `keyed`: attempts share an idempotency key. */
export const rules: Readonly<Record<Replay, (failed: Failed, keyed: boolean) => boolean>> = {
  free: isTransient,
  billed: (failed, keyed) => (isTransient(failed) && (isProven(failed) || keyed)) || (isInFlight(failed) && keyed),
  create: (failed, keyed) => (isTransient(failed) && isProven(failed)) || (isInFlight(failed) && keyed)
}
