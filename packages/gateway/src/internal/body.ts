import type { HttpServerError } from "effect/http/HttpServerError"

/** How an adapter says that a body exceeded its limit: the error's cause has this tag. */
export const bodyTooLargeTag = "BodyTooLarge"

export const bodyTooLarge = (error: HttpServerError): boolean => {
  const cause = error.reason.cause
  return typeof cause === "object" && cause !== null && "_tag" in cause && cause._tag === bodyTooLargeTag
}
