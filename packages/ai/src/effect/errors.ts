import * as AiError from "effect/ai/AiError"
import * as Duration from "effect/Duration"
import { InvalidPrompt, Unsupported } from "../conversation/parts.ts"
import { failedCall, isMistake, lacksCredential } from "../failure.ts"

const reasonOf = (error: unknown): AiError.AiErrorReason => {
  if (error instanceof Unsupported || error instanceof InvalidPrompt) {
    return new AiError.InvalidUserInputError({ description: error.message })
  }
  const { failure, isRetryable, message: description, retryAfterMillis, status } = failedCall(error, undefined)
  const metadata = { tollgate: { ...failure } }
  if (lacksCredential(error)) return new AiError.AuthenticationError({ kind: "MissingKey", description, metadata })
  if (status === 401) return new AiError.AuthenticationError({ kind: "InvalidKey", description, metadata })
  if (status === 403) {
    return new AiError.AuthenticationError({ kind: "InsufficientPermissions", description, metadata })
  }
  if (failure.tag === "OverBudget" || failure.tag === "BudgetExceeded" || (status === 429 && !isRetryable)) {
    return new AiError.QuotaExhaustedError({ metadata })
  }
  if (isMistake(error) || status === 400 || status === 404 || status === 422) {
    return new AiError.InvalidRequestError({ description, metadata })
  }
  // The other reasons that may be retried would pay again for what may have run.
  if (!isRetryable) return new AiError.UnknownError({ description, metadata })
  return status === 429 || failure.tag === "PaceExceeded"
    ? new AiError.RateLimitError({
        metadata,
        ...(retryAfterMillis === undefined ? {} : { retryAfter: Duration.millis(retryAfterMillis) })
      })
    : new AiError.InternalProviderError({ description, metadata })
}

/**
 * The error of Effect's AI modules. `isRetryable` is true only of what has not run. The client's own error is the `cause` of
 * its reason, and `resume` takes that.
 */
export const aiError =
  (method: string) =>
  (error: unknown): AiError.AiError => {
    const reason = reasonOf(error)
    Object.defineProperty(reason, "cause", { value: error, enumerable: false, configurable: true })
    return AiError.make({ module: "Tollgate", method, reason })
  }
