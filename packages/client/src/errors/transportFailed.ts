import type { NotCarried } from "@tollgate/contract/carrier/Carrier"
import { TransportFailed } from "./errors.ts"
import { cleanCause, type Hide } from "../credential/hideCredential.ts"
import { object } from "../events/Event.ts"

/** Node's error for several addresses has a code and no message. */
const messageOf = (cause: unknown): string => {
  const { code, message } = object(cause)
  return message || code ? `: ${message || code}` : ""
}

const isLate = ({ late, why }: NotCarried): boolean => late === true || why === "timeout"

/** The message for a person. */
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
