import * as Schema from "effect/Schema"
import { Charge, Outcome } from "../Outcome.ts"

/** What every error of the interface carries, whichever shape it came in. */
export const Details = {
  status: Schema.Int,
  message: Schema.String,
  code: Schema.optionalKey(Schema.String),
  type: Schema.optionalKey(Schema.String),
  requestId: Schema.optionalKey(Schema.String),
  /** Milliseconds. */
  retryAfter: Schema.optionalKey(Schema.Finite),
  outcome: Outcome,
  charge: Charge,
  headers: Schema.Record(Schema.String, Schema.String),
  /** The body's text as it arrived. */
  body: Schema.String
}
export type Details = Schema.Struct.Type<typeof Details>

/** For loggers: `JSON.stringify` refuses a bigint, so an amount is its digits. */
export const plain = <E extends { readonly charge: Charge }>(error: E): unknown => ({
  ...error,
  charge: {
    ...error.charge,
    ...(error.charge.micros === undefined ? {} : { micros: String(error.charge.micros) })
  }
})

/** 400: the request does not fit. Fix it before trying again. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", Details) {
  override toJSON(): unknown {
    return plain(this)
  }
}
/** 401: no credential, or one that is not known. */
export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()("Unauthenticated", Details) {
  override toJSON(): unknown {
    return plain(this)
  }
}
/** 402: the estimate exceeds the cap, the key's budget or the balance. Nothing was spent. */
export class OverBudget extends Schema.TaggedError<OverBudget>()("OverBudget", Details) {
  override toJSON(): unknown {
    return plain(this)
  }
}
/** 403: for a write, the linked session lacks a scope. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", Details) {
  override toJSON(): unknown {
    return plain(this)
  }
}
/** 404: no such route, or the upstream has no such thing; on some routes also a missing credential. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", Details) {
  override toJSON(): unknown {
    return plain(this)
  }
}
/** 409: an idempotency conflict, or a contract hash that is not the selected one. `code` tells which. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", Details) {
  override toJSON(): unknown {
    return plain(this)
  }
}
/** 422: understood, but not possible here. */
export class Unprocessable extends Schema.TaggedError<Unprocessable>()("Unprocessable", Details) {
  override toJSON(): unknown {
    return plain(this)
  }
}
/** 429: `code` tells whose limit it was. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", Details) {
  override toJSON(): unknown {
    return plain(this)
  }
}
/** 500. */
export class ServerFault extends Schema.TaggedError<ServerFault>()("ServerFault", Details) {
  override toJSON(): unknown {
    return plain(this)
  }
}
/** 502: transport to a native upstream failed. */
export class UpstreamFailed extends Schema.TaggedError<UpstreamFailed>()("UpstreamFailed", Details) {
  override toJSON(): unknown {
    return plain(this)
  }
}
/** 503: a managed upstream, billing or a source is not available. Not by itself proof that an upstream failed. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", Details) {
  override toJSON(): unknown {
    return plain(this)
  }
}
/** Any status that the operation does not declare. */
export class UnexpectedStatus extends Schema.TaggedError<UnexpectedStatus>()("UnexpectedStatus", Details) {
  override toJSON(): unknown {
    return plain(this)
  }
}

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

/** The error that a declared status becomes. */
export type ErrorOf<S extends DeclaredStatus> = InstanceType<(typeof byStatus)[S]>

export const isDeclared = (status: number, declared: ReadonlyArray<DeclaredStatus>): status is DeclaredStatus =>
  (declared as ReadonlyArray<number>).includes(status)

/** The typed error for a status: its own class where the operation declares it, `UnexpectedStatus` otherwise. */
export const make = <S extends DeclaredStatus>(
  declared: ReadonlyArray<S>,
  details: Details
): ErrorOf<S> | UnexpectedStatus =>
  isDeclared(details.status, declared)
    ? (new byStatus[details.status](details) as ErrorOf<S>)
    : new UnexpectedStatus(details)
