import type { Replay } from "@tollgate/contract/Operation"
import type { Outcome } from "@tollgate/contract/Outcome"

/** As much of a failed attempt as the rules look at. */
export interface Failed {
  readonly _tag: string
  readonly outcome: Outcome
  readonly status?: number
  readonly code?: string
  /** Milliseconds. */
  readonly retryAfter?: number
}

/** The server, or something before it, was busy or away. A 500 is none of these, nor is what the caller must fix. */
const passing = new Set([429, 502, 503, 504])

/** Waiting does not mend these. */
const persistent = new Set(["billing_misconfigured", "upstream_misconfigured", "verified_sales_source_unavailable"])

const isTransient = ({ _tag, code, status }: Failed): boolean =>
  _tag === "TransportFailed" || (status !== undefined && passing.has(status) && !persistent.has(code ?? ""))

export const isProven = ({ outcome }: Failed): boolean => outcome === "not executed"

/** An earlier call under the key is still running. To ask again under the same key is to wait for its answer. */
export const isInFlight = ({ code, status }: Failed): boolean => status === 409 && code === "idempotency_in_flight"

/** Whether an attempt that failed so may be followed by another; `keyed`, under one idempotency key. */
export const rules: Readonly<Record<Replay, (failed: Failed, keyed: boolean) => boolean>> = {
  free: isTransient,
  billed: (failed, keyed) => (isTransient(failed) && (isProven(failed) || keyed)) || (isInFlight(failed) && keyed),
  create: (failed, keyed) => (isTransient(failed) && isProven(failed)) || (isInFlight(failed) && keyed)
}
