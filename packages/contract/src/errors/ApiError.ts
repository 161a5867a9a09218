import type { Charge, Outcome } from "../Outcome.ts"
import { TaggedError } from "./TaggedError.ts"

/** The fields of every API error, whatever its format on the wire. */
export interface Details {
  readonly status: number
  readonly message: string
  readonly code?: string
  readonly type?: string
  readonly requestId?: string
  /** Milliseconds. */
  readonly retryAfter?: number
  readonly outcome: Outcome
  readonly charge: Charge
  readonly headers: Readonly<Record<string, string>>
  /** The body's text as it arrived. */
  readonly body: string
}

/** 400: the request is not valid. Fix it before trying again. */
export class InvalidRequest extends TaggedError("InvalidRequest")<Details> {}
/** 401: no credential, or an unknown one. */
export class Unauthenticated extends TaggedError("Unauthenticated")<Details> {}
/** 402: the estimate exceeds the cap, the key's budget or the balance. Nothing was spent. */
export class OverBudget extends TaggedError("OverBudget")<Details> {}
/** 403: the linked session lacks a scope that a write needs. */
export class Forbidden extends TaggedError("Forbidden")<Details> {}
/** 404: no such route, or the upstream does not have the resource; on some routes also a missing credential. */
export class NotFound extends TaggedError("NotFound")<Details> {}
/** 409: an idempotency conflict, or another contract hash than the selected one. `code` says which. */
export class Conflict extends TaggedError("Conflict")<Details> {}
/** 422: the request was understood but cannot be carried out. */
export class Unprocessable extends TaggedError("Unprocessable")<Details> {}
/** 429: a limit was reached. `code` says whose. */
export class RateLimited extends TaggedError("RateLimited")<Details> {}
/** 500. */
export class ServerFault extends TaggedError("ServerFault")<Details> {}
/** 502: transport to a native upstream failed. */
export class UpstreamFailed extends TaggedError("UpstreamFailed")<Details> {}
/** 503: a managed upstream, billing or a source is unavailable. This alone does not prove that an upstream failed. */
export class Unavailable extends TaggedError("Unavailable")<Details> {}
/** Any status that the operation does not declare. */
export class UnexpectedStatus extends TaggedError("UnexpectedStatus")<Details> {}

export const byStatus = {
  400: InvalidRequest,
  401: Unauthenticated,
  402: OverBudget,
  403: Forbidden,
  404: NotFound,
  409: Conflict,
  422: Unprocessable,
  429: RateLimited,
  500: ServerFault,
  502: UpstreamFailed,
  503: Unavailable
} as const

export type DeclaredStatus = keyof typeof byStatus

/** The error class of a declared status. */
export type ErrorOf<S extends DeclaredStatus> = InstanceType<(typeof byStatus)[S]>

export const isDeclared = (status: number, declared: ReadonlyArray<DeclaredStatus>): status is DeclaredStatus =>
  (declared as ReadonlyArray<number>).includes(status)

/** The error for a status: its own class if the operation declares the status, otherwise `UnexpectedStatus`. */
export const make = <S extends DeclaredStatus>(
  declared: ReadonlyArray<S>,
  details: Details
): ErrorOf<S> | UnexpectedStatus =>
  isDeclared(details.status, declared)
    ? (new byStatus[details.status](details) as ErrorOf<S>)
    : new UnexpectedStatus(details)
