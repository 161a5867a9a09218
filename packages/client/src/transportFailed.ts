import type { NotCarried } from "@tollgate/contract/carrier/Carrier"
import { TransportFailed } from "./errors.ts"

const messageOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "message" in cause && cause.message !== "" ? `: ${cause.message}` : ""

/** The message for a person. */
export const describeFailure = ({ cause, why }: NotCarried, millis = 0): string => {
  if (why === "timeout") return `No whole answer within ${millis} ms`
  return (why === "not sent" ? "The request could not be sent" : "The connection broke") + messageOf(cause)
}

/** Turns a failure of the transport into the call's error. */
export const transportFailed =
  (operation: string, millis: number) =>
  (error: NotCarried): TransportFailed =>
    new TransportFailed({
      operation,
      message: describeFailure(error, millis),
      outcome: error.why === "not sent" ? "not executed" : "unknown",
      ...(error.cause === undefined ? {} : { cause: error.cause })
    })
