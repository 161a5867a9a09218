import type { RateLimits } from "@tollgate/contract/RateLimits"
import type { Used } from "./shapes.ts"

const window = (limit?: number, remaining?: number, reset?: number) => ({
  ...(limit === undefined ? {} : { limit }),
  ...(remaining === undefined ? {} : { remaining }),
  ...(reset === undefined ? {} : { reset })
})

/** What is left of the limits, as a field of a result. */
export const limitsLeft = (limits: RateLimits): Pick<Used, "limits"> => {
  const { limitRequests, limitTokens, remainingRequests, remainingTokens, resetRequests, resetTokens } = limits
  if (limitRequests === undefined && limitTokens === undefined) return {}
  return {
    limits: {
      ...(limitRequests === undefined ? {} : { requests: window(limitRequests, remainingRequests, resetRequests) }),
      ...(limitTokens === undefined ? {} : { tokens: window(limitTokens, remainingTokens, resetTokens) })
    }
  }
}
