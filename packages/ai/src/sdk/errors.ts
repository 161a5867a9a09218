import { APICallError, InvalidArgumentError, LoadAPIKeyError, UnsupportedFunctionalityError } from "@ai-sdk/provider"
import { Unsupported } from "../conversation/Conversation.ts"
import { failedCall, isAborted, isMistake, lacksCredential } from "../failure.ts"

/**
 * The error that `ai` understands. It repeats only what is `isRetryable`, with a new key, so nothing that may have run is.
 * The client's own error is the `cause`.
 */
export const errorOf = (error: unknown, path: string, model: string, key: string | undefined): unknown => {
  // An abort has the name of one, and a wrong option is `ai`'s own error already.
  if (isAborted(error) || InvalidArgumentError.isInstance(error)) return error
  if (error instanceof Unsupported) {
    return new UnsupportedFunctionalityError({ functionality: error.feature, message: error.message })
  }
  if (isMistake(error)) {
    return new InvalidArgumentError({ argument: "providerOptions.tollgate", message: error.message, cause: error })
  }
  if (lacksCredential(error)) return new LoadAPIKeyError({ message: error.message })
  const { body, failure, headers, isRetryable, message, retryAfterMillis, status } = failedCall(error, key)
  const responseHeaders = {
    ...headers,
    ...(retryAfterMillis === undefined ? {} : { "retry-after-ms": String(retryAfterMillis) })
  }
  return new APICallError({
    message,
    url: path,
    // Not the conversation, which would be in every log of the error.
    requestBodyValues: { model },
    ...(status === undefined ? {} : { statusCode: status }),
    responseHeaders,
    ...(body === undefined ? {} : { responseBody: body }),
    isRetryable,
    data: failure,
    cause: error
  })
}
