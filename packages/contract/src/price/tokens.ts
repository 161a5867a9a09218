import { expectedTokens, inputOf } from "./contracts/modelRequest.ts"
import { billedTokens } from "./contracts/perToken.ts"
import { isByModel, type Price } from "./Price.ts"

/**
 * The expected number of tokens, input and output together. The model is `named`, or else the one in the request. It is apart
 * from the contracts because clients need it, and must not load them.
 */
export const estimateTokens = (price: Price, request: unknown, named?: string): number => {
  if (isByModel(price)) return expectedTokens(price, request, named)
  return "texts" in price ? billedTokens(price, request).likely : inputOf(request).likely
}
