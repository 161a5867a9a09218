import { CallAborted, type Charge, CredentialUnavailable, InputInvalid, type Outcome } from "@tollgate/client"
import { Malformed } from "@tollgate/protocols/json"

/** The fields that errors of the client may have. */
interface Known {
  readonly _tag?: string
  readonly message?: string
  readonly status?: number
  readonly code?: string
  readonly outcome?: Outcome
  readonly charge?: Charge
  readonly requestId?: string
  readonly idempotencyKey?: string
  /** Milliseconds. */
  readonly retryAfter?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** What is known of a failed call. It is JSON, and has nothing of the request. */
export interface TollgateFailure {
  /** The error of the client, such as `OutcomeUnknown`. */
  readonly tag: string
  /** Only a call that was `not executed` may be repeated without its key. */
  readonly outcome: Outcome
  readonly cost?: Charge
  readonly code?: string
  readonly requestId?: string
  /** The same call with this key is not paid twice. */
  readonly idempotencyKey?: string
}

/** A failed call, as both libraries describe it. */
export interface Failed {
  readonly message: string
  readonly failure: TollgateFailure
  /** Nothing ran, and the same call may succeed later. */
  readonly isRetryable: boolean
  readonly status: number | undefined
  readonly retryAfterMillis: number | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly body: string | undefined
}

/** The server, or a proxy before it, was busy or unavailable. */
const passing = new Set([429, 502, 503, 504])

const isPassing = ({ _tag, headers, retryAfter, status }: Known): boolean => {
  if (_tag === "TransportFailed") return true
  if (_tag === "PaceExceeded") return Number.isFinite(retryAfter)
  return status !== undefined && passing.has(status) && headers?.["x-should-retry"] !== "false"
}

export const isAborted = (error: unknown): error is CallAborted => error instanceof CallAborted
export const isMistake = (error: unknown): error is InputInvalid => error instanceof InputInvalid
export const lacksCredential = (error: unknown): error is CredentialUnavailable =>
  error instanceof CredentialUnavailable

/** `key` is the one that the caller passes to make the same call again. */
export const failedCall = (error: unknown, key: string | undefined): Failed => {
  const known = (typeof error === "object" && error !== null ? error : { message: String(error) }) as Known
  // What is no error of the client may have happened at any time.
  const { outcome = error instanceof Malformed ? "executed" : "unknown" } = known
  const idempotencyKey = key ?? known.idempotencyKey
  return {
    message: known.message ?? String(error),
    failure: {
      tag: known._tag ?? "Error",
      outcome,
      ...(known.charge === undefined ? {} : { cost: known.charge }),
      ...(known.code === undefined ? {} : { code: known.code }),
      ...(known.requestId === undefined ? {} : { requestId: known.requestId }),
      ...(idempotencyKey === undefined || outcome === "not executed" ? {} : { idempotencyKey })
    },
    isRetryable: outcome === "not executed" && isPassing(known),
    status: known.status,
    retryAfterMillis: Number.isFinite(known.retryAfter) ? known.retryAfter : undefined,
    headers: known.headers,
    body: known.body
  }
}
