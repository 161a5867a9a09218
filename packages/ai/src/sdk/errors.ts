import {
  APICallError,
  InvalidArgumentError,
  LoadAPIKeyError,
  type SharedV4ProviderMetadata,
  UnsupportedFunctionalityError
} from "@ai-sdk/provider"
import { Unsupported } from "../conversation/parts.ts"
import { failedCall, isAborted, isMistake, lacksCredential } from "../failure.ts"
import type { CallResponse } from "@tollgate/client"
import type { QuotedPrice, TollgateMetadata } from "../metadata.ts"
import type { Settled } from "./CallOptions.ts"

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

interface Priced {
  readonly estimate_micros_usd: number
  readonly max_micros_usd: number
}

/** The price of the call, if the caller asks for it. */
export const quoted = async (
  { options: { signal }, quote }: Settled,
  ask: (options: { readonly signal?: NonNullable<typeof signal> }) => PromiseLike<Priced>
): Promise<QuotedPrice | undefined> => {
  if (!quote) return undefined
  const { estimate_micros_usd, max_micros_usd } = await ask(signal === undefined ? {} : { signal })
  return { estimateMicros: estimate_micros_usd, maxMicros: max_micros_usd }
}

/** What the answer says besides its content. */
export const metadataOf = (
  { key, maxPrice }: Settled,
  { cost, replayed, requestId }: Pick<CallResponse<unknown>, "cost" | "replayed" | "requestId">,
  quote: QuotedPrice | undefined
): SharedV4ProviderMetadata => {
  const tollgate = {
    cost,
    replayed,
    idempotencyKey: key,
    ...(requestId === undefined ? {} : { requestId }),
    ...(maxPrice === undefined ? {} : { maxPrice }),
    ...(quote === undefined ? {} : { quote: { ...quote } })
  } satisfies TollgateMetadata
  return { tollgate }
}
