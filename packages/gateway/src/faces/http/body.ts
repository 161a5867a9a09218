import * as Effect from "effect/Effect"
import type { HttpServerError } from "effect/http/HttpServerError"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { refuse, type Refused } from "../../Refused.ts"

/** An adapter reports a body over its limit by a cause with this tag. */
const bodyTooLargeTag = "BodyTooLarge"

const isTooLarge = (error: HttpServerError): boolean => {
  const cause = error.reason.cause
  return typeof cause === "object" && cause !== null && "_tag" in cause && cause._tag === bodyTooLargeTag
}

/** An adapter may offer the bytes as they arrived. Making an `ArrayBuffer` copies them. */
const bytesOf = (request: HttpServerRequest & { readonly bytes?: Effect.Effect<Uint8Array, HttpServerError> }) =>
  request.bytes ?? Effect.map(request.arrayBuffer, (buffer) => new Uint8Array(buffer))

export const readBody = (request: HttpServerRequest): Effect.Effect<Uint8Array, Refused> =>
  Effect.mapBothEager(bytesOf(request), {
    onSuccess: (bytes) => bytes,
    onFailure: (error) =>
      isTooLarge(error)
        ? refuse("body_too_large", "The body is larger than this gateway accepts.")
        : refuse("invalid_request", "The body could not be read.")
  })
