import type { Charge, Outcome } from "../Outcome.ts"
import { TaggedError } from "./TaggedError.ts"

/** What an answer says of an error, whatever its format on the wire. */
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

/** The fields of every API error. */
export interface Fields extends Details {
  /** The id of the operation that was called. */
  readonly operation: string
  /** Of a billed call that may have run. `resume` asks for its outcome. */
  readonly idempotencyKey?: string
}

/** 400: the request is not valid. Fix it before trying again. */
export class InvalidRequest extends TaggedError("InvalidRequest")<Fields> {}
/** 401: no credential, or an unknown one. */
export class Unauthenticated extends TaggedError("Unauthenticated")<Fields> {}
/** 402: the estimate exceeds the cap, the key's budget or the balance. Nothing was spent. */
export class OverBudget extends TaggedError("OverBudget")<Fields> {}
/** 403: the linked session lacks a scope that a write needs. */
export class Forbidden extends TaggedError("Forbidden")<Fields> {}
/** 404: no such route, or the upstream does not have the resource; on some routes also a missing credential. */
export class NotFound extends TaggedError("NotFound")<Fields> {}
/** 409: an idempotency conflict, or another contract hash than the selected one. `code` says which. */
export class Conflict extends TaggedError("Conflict")<Fields> {}
/** 422: the request was understood but cannot be carried out. */
export class Unprocessable extends TaggedError("Unprocessable")<Fields> {}
/** 429: a limit was reached. `code` says whose. */
export class RateLimited extends TaggedError("RateLimited")<Fields> {}
/** 500. */
export class ServerFault extends TaggedError("ServerFault")<Fields> {}
/** 502: transport to a native upstream failed. */
export class UpstreamFailed extends TaggedError("UpstreamFailed")<Fields> {}
/** 503: a managed upstream, billing or a source is unavailable. This alone does not prove that an upstream failed. */
export class Unavailable extends TaggedError("Unavailable")<Fields> {}
/** Any status that the operation does not declare. */
export class UnexpectedStatus extends TaggedError("UnexpectedStatus")<Fields> {}

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

export type ErrorOf<S extends DeclaredStatus> = InstanceType<(typeof byStatus)[S]>

export const isDeclared = (status: number, declared: ReadonlyArray<DeclaredStatus>): status is DeclaredStatus =>
  (declared as ReadonlyArray<number>).includes(status)

/** The error for a status: its own class if the operation declares the status, otherwise `UnexpectedStatus`. */
export const make = <S extends DeclaredStatus>(
  declared: ReadonlyArray<S>,
  fields: Fields
): ErrorOf<S> | UnexpectedStatus =>
  isDeclared(fields.status, declared)
    ? (new byStatus[fields.status](fields) as ErrorOf<S>)
    : new UnexpectedStatus(fields)
