import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import type { HttpServerError } from "effect/http/HttpServerError"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Result from "effect/Result"
import { refuse, type Refused } from "../Refused.ts"

/** How an adapter says that a body exceeded its limit: the error's cause has this tag. */
export const bodyTooLargeTag = "BodyTooLarge"

const bodyTooLarge = (error: HttpServerError): boolean => {
  const cause = error.reason.cause
  return typeof cause === "object" && cause !== null && "_tag" in cause && cause._tag === bodyTooLargeTag
}

/** An adapter may hand out the bytes as they came; to make an `ArrayBuffer` of them is to copy them. */
const bytesOf = (request: HttpServerRequest & { readonly bytes?: Effect.Effect<Uint8Array, HttpServerError> }) =>
  request.bytes ?? Effect.map(request.arrayBuffer, (buffer) => new Uint8Array(buffer))

export const readBody = (request: HttpServerRequest): Effect.Effect<Uint8Array, Refused> =>
  Effect.mapBothEager(bytesOf(request), {
    onSuccess: (bytes) => bytes,
    onFailure: (error) =>
      bodyTooLarge(error)
        ? refuse("body_too_large", "The body is larger than this gateway takes.")
        : refuse("invalid_request", "The body could not be read.")
  })

export const parseJson = (bytes: Uint8Array): Result.Result<unknown, Refused> => {
  try {
    return Result.succeed(JSON.parse(Utf8.decodeStrict(bytes)))
  } catch {
    return Result.fail(
      refuse("invalid_request", bytes.length === 0 ? "A JSON body is needed." : "The body is not valid JSON in UTF-8.")
    )
  }
}
