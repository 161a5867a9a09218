import type { NotCarried } from "@tollgate/contract/carrier/Carrier"
import { TransportFailed } from "./errors.ts"

const told = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "message" in cause && cause.message !== "" ? `: ${cause.message}` : ""

/** In words, for a person. */
export const whatHappened = ({ cause, why }: NotCarried, millis = 0): string => {
  if (why === "timeout") return `No whole answer within ${millis} ms`
  return (why === "not sent" ? "The request could not be sent" : "The connection broke") + told(cause)
}

/** What a failure of the transport says of the call. */
export const broken =
  (operation: string, millis: number) =>
  (error: NotCarried): TransportFailed =>
    new TransportFailed({
      operation,
      message: whatHappened(error, millis),
      outcome: error.why === "not sent" ? "not executed" : "unknown",
      ...(error.cause === undefined ? {} : { cause: error.cause })
    })
