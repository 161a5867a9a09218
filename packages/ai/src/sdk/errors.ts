import {
  APICallError,
  InvalidArgumentError,
  InvalidPromptError,
  LoadAPIKeyError,
  NoSuchModelError,
  UnsupportedFunctionalityError
} from "@ai-sdk/provider"
import { InvalidPrompt, Unsupported } from "../conversation/parts.ts"
import { failedCall, isAborted, isMistake, lacksCredential } from "../failure.ts"

export interface Subject {
  readonly path: string
  readonly modelId: string
  readonly modelType: NoSuchModelError["modelType"]
}

/**
 * The error that `ai` understands. None is `isRetryable`: the client has repeated the call, under one key, as often as it may.
 * The client's own error is the `cause`.
 */
export const errorOf = (error: unknown, { modelId, modelType, path }: Subject, key: string | undefined): unknown => {
  // An abort has the name of one, and a wrong option is `ai`'s own error already.
  if (isAborted(error) || InvalidArgumentError.isInstance(error)) return error
  if (error instanceof Unsupported) {
    return new UnsupportedFunctionalityError({ functionality: error.feature, message: error.message })
  }
  // Not the conversation, which would be in every log of the error.
  if (error instanceof InvalidPrompt) return new InvalidPromptError({ prompt: undefined, message: error.message })
  if (isMistake(error)) {
    return new InvalidArgumentError({ argument: "providerOptions.tollgate", message: error.message, cause: error })
  }
  if (lacksCredential(error)) return new LoadAPIKeyError({ message: error.message })
  const { body, failure, headers, message, retryAfterMillis, status } = failedCall(error, key)
  if (failure.code === "model_not_found") {
    return Object.assign(new NoSuchModelError({ modelId, modelType, message }), { cause: error, data: failure })
  }
  const responseHeaders = {
    ...headers,
    ...(retryAfterMillis === undefined ? {} : { "retry-after-ms": String(retryAfterMillis) })
  }
  return new APICallError({
    message,
    url: path,
    requestBodyValues: { model: modelId },
    ...(status === undefined ? {} : { statusCode: status }),
    responseHeaders,
    ...(body === undefined ? {} : { responseBody: body }),
    isRetryable: false,
    data: failure,
    cause: error
  })
}

/** `key` is the one that the caller passes to make the same call again. Without it nothing was sent. */
export const failing =
  (subject: Subject, key?: string) =>
  async <A>(run: () => A): Promise<Awaited<A>> => {
    try {
      return await run()
    } catch (error) {
      throw errorOf(error, subject, key)
    }
  }
