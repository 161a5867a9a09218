import * as declared from "../errors/Family.ts"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"

export const summary = "List the available models"
export const description = "Which language models can be called here."

export const modelList = Operation.make({
  id: "models.list",
  category: "models",
  method: "GET",
  path: "/v1/models",
  request: {},
  success: Open({}),
  errors: declared.free,
  family: "openai",
  price: { contract: "free" },
  replay: "free",
  upstream: "gateway",
  pending: [{ open: "response", what: "body" }]
})
