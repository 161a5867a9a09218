import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"

export const summary = "List the available models"
export const description = "Which language models can be called here."

export const modelList = Operation.make({
  ...kinds.ownRead,
  id: "models.list",
  category: "models",
  path: "/v1/models",
  request: {},
  success: Open({}),
  family: "openai",
  pending: [{ open: "response", what: "body" }]
})
