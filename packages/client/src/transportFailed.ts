import type { NotCarried } from "@tollgate/contract/carrier/Carrier"
import { TransportFailed } from "./errors.ts"
import { cleanCause, type Hide } from "./hideCredential.ts"

const messageOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "message" in cause && cause.message !== "" ? `: ${cause.message}` : ""

/** The message for a person. */
const describeFailure = (why: NotCarried["why"], millis: number, cause?: unknown): string => {
  if (why === "timeout") return `No whole answer within ${millis} ms`
  return (why === "not sent" ? "The request could not be sent" : "The connection broke") + messageOf(cause)
}

/** The fields of an error that tell why, without the credential. */
export const reasonOf = (error: NotCarried, hide: Hide, millis = 0) => {
  try {
    const cause = cleanCause(error.cause, hide)
    return { message: hide(describeFailure(error.why, millis, error.cause)), ...(cause === undefined ? {} : { cause }) }
  } catch {
    // A custom `fetch` may throw what cannot even be read.
    return { message: describeFailure(error.why, millis) }
  }
}

/** Turns a failure of the transport into the call's error. */
export const transportFailed =
  (operation: string, millis: number, hide: Hide) =>
  (error: NotCarried): TransportFailed =>
    new TransportFailed({
      operation,
      ...reasonOf(error, hide, millis),
      outcome: error.why === "not sent" ? "not executed" : "unknown"
    })
