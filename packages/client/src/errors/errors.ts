import { TaggedError } from "@tollgate/contract/errors/TaggedError"
import type { Failure, Operation } from "@tollgate/contract/Operation"
import type { Amount } from "@tollgate/contract/Money"
import type { Charge, Outcome } from "@tollgate/contract/Outcome"
import type { ResellerEnvelope } from "@tollgate/contract/resources/ResellerEnvelope"
import type { NotCarried } from "@tollgate/contract/carrier/Carrier"
import { cleanCause, type Hide } from "../credential/hideCredential.ts"
import { object } from "../events/Event.ts"

/** The call would have to wait, or has waited, longer than its patience. Nothing was sent. */
export class PaceExceeded extends TaggedError("PaceExceeded")<{
  readonly operation: string
  readonly message: string
  readonly outcome: "not executed"
  /** The earliest time to try again, in milliseconds, as far as is known. Infinite if nothing is allowed at all. */
  readonly retryAfter: number
}> {}

/** The status is 200, but the reseller's own `code` in the body is another: the call ran and has no result. */
export class ResellerFailed extends TaggedError("ResellerFailed")<{
  readonly operation: string
  /** The reseller's, if it sent one. */
  readonly message: string
  readonly status: number
  /** The reseller's code, such as `"400"`. */
  readonly code: string
  readonly requestId?: string
  readonly outcome: "executed"
  readonly idempotencyKey?: string
  readonly charge: Charge
  /** The whole body. */
  readonly envelope: ResellerEnvelope
}> {}

/** `ResellerFailed`, for operations that a reseller answers. */
export type ResellerError<O extends Operation> = O["success"] extends typeof ResellerEnvelope ? ResellerFailed : never

/** The connection failed or the time was over. If the call is billed, it was not sent; otherwise `outcome` says what is known. */
export class TransportFailed extends TaggedError("TransportFailed")<{
  readonly operation: string
  readonly message: string
  readonly outcome: Outcome
  /** `timeout` if the time limit passed. */
  readonly code?: "timeout"
  readonly cause?: unknown
}> {}

/**
 * The status is successful but the content does not fit the operation. It ran and may be charged; if the answer is a page
 * without the gateway's headers, even that is unknown. `resume` asks for the answer that the gateway stored.
 */
export class AnswerInvalid extends TaggedError("AnswerInvalid")<{
  readonly operation: string
  readonly message: string
  readonly status: number
  readonly requestId?: string
  readonly outcome: "executed" | "unknown"
  readonly idempotencyKey?: string
  readonly charge: Charge
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}> {}

/** The input does not fit the operation, it cannot be written because of `cause`, or `beforeRequest` failed with it. Nothing was sent. */
export class InputInvalid extends TaggedError("InputInvalid")<{
  readonly operation: string
  readonly message: string
  readonly outcome: "not executed"
  readonly cause?: unknown
}> {}

/**
 * It is unknown whether the call ran, and a new call could be charged twice. `resume` asks for its outcome, as does a call
 * with the same input and `idempotencyKey`. `cause` is the last failure.
 */
export class OutcomeUnknown extends TaggedError("OutcomeUnknown")<{
  readonly operation: string
  readonly message: string
  readonly outcome: "unknown"
  readonly idempotencyKey?: string
  readonly status?: number
  /** The answer's code, or `timeout` if the time limit passed. */
  readonly code?: string
  readonly requestId?: string
  readonly cause: unknown
}> {}

/** The call's maximum price exceeds what `withBudget` has left. Nothing was spent. */
export class BudgetExceeded extends TaggedError("BudgetExceeded")<{
  readonly operation: string
  readonly message: string
  readonly outcome: "not executed"
  /** What the call can cost. */
  readonly most: Amount
  readonly left: Amount
}> {}

/** The effect that provides the credential failed with `cause`. Nothing was sent. */
export class CredentialUnavailable extends TaggedError("CredentialUnavailable")<{
  readonly operation: string
  readonly message: string
  readonly outcome: "not executed"
  readonly cause: unknown
}> {}

/** Errors that the client itself raises, for any operation. */
export type ClientError = TransportFailed | AnswerInvalid | InputInvalid | CredentialUnavailable | PaceExceeded

/** Errors of billed operations, which are those that declare 402. */
type SpendError<O extends Operation> = 402 extends O["errors"][number] ? OutcomeUnknown | BudgetExceeded : never

/** Every error of a call: those the operation declares, and those of the client. */
export type CallError<O extends Operation> = Failure<O> | ResellerError<O> | ClientError | SpendError<O>

/** The members of a union one by one, so that an editor lists them instead of the types that they come from. */
export type Listed<E> = E extends unknown ? E : never

export const inputInvalid = (operation: string, message: string): InputInvalid =>
  new InputInvalid({ operation, message, outcome: "not executed" })

/** Node's error for several addresses has a code and no message. */
const messageOf = (cause: unknown): string => {
  const { code, message } = object(cause)
  return message || code ? `: ${message || code}` : ""
}

const isLate = ({ late, why }: NotCarried): boolean => late === true || why === "timeout"

const describeFailure = (error: NotCarried, millis: number, cause?: unknown): string => {
  const isSent = error.why !== "not sent"
  if (isLate(error)) return `${isSent ? "No whole answer" : "Not sent"} within ${millis} ms`
  if (isSent) return `The connection broke${messageOf(cause)}`
  const isPlain = object(cause)["code"] === "ERR_SSL_WRONG_VERSION_NUMBER"
  return `The request could not be sent${isPlain ? ": this port speaks http, not https" : messageOf(cause)}`
}

/** The fields of an error that tell why, without the credential. */
export const reasonOf = (error: NotCarried, hide: Hide, millis = 0) => {
  try {
    const cause = cleanCause(error.cause, hide)
    return { message: hide(describeFailure(error, millis, error.cause)), ...(cause === undefined ? {} : { cause }) }
  } catch {
    // A custom `fetch` may throw what cannot even be read.
    return { message: describeFailure(error, millis) }
  }
}

/** Turns a failure of the transport into the call's error. */
export const transportFailed = (operation: string, millis: number, hide: Hide, error: NotCarried): TransportFailed =>
  new TransportFailed({
    operation,
    ...reasonOf(error, hide, millis),
    ...(isLate(error) ? { code: "timeout" } : {}),
    outcome: error.why === "not sent" ? "not executed" : "unknown"
  })
