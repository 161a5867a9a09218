import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import * as limits from "../limits.ts"

export const summary = "Generate an image in one call"
export const description = "A picture, drawing or logo from a description in words."

export const imageGenerate = Operation.make({
  ...kinds.modelCall,
  id: "images.generate",
  request: { body: Open({}) },
  success: Open({}),
  family: "openai",
  price: {
    contract: "per_request",
    amount: "pending",
    times: { field: ["n"], unit: "image", otherwise: 1 }
  },
  limit: limits.image,
  pending: [{ open: "path" }, { open: "request", what: "body" }, { open: "response", what: "body" }]
})
