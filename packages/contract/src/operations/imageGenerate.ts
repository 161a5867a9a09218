import * as declared from "../errors/Family.ts"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as limits from "../limits.ts"
import { estimateTokens } from "../price/tokens.ts"

export const summary = "Generate an image in one call"
export const description = "A picture, drawing or logo from a description in words."

export const imageGenerate = Operation.make({
  id: "images.generate",
  category: "models",
  method: "POST",
  request: { body: Open({}) },
  success: Open({}),
  errors: declared.billed,
  family: "openai",
  price: {
    contract: "per_request",
    amount: "pending",
    times: { field: ["n"], unit: "image", otherwise: 1 }
  },
  limit: limits.image,
  expectedTokens: estimateTokens,
  bodyLimit: Operation.bodyLimits.model,
  replay: "billed",
  upstream: "native",
  pending: [{ open: "path" }, { open: "request", what: "body" }, { open: "response", what: "body" }]
})
