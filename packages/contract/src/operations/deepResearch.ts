import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import * as limits from "../limits.ts"
import * as prices from "../price/modelPrices.ts"

export const summary = "Search and reason over many sources"
export const description =
  "A report with citations from the web on a broad question, for which one search is not enough."

export const deepResearch = Operation.make({
  ...kinds.modelCall,
  id: "deep_research.search",
  request: { body: Open({}) },
  success: Open({}),
  event: Open({}),
  family: "openai",
  price: prices.openai,
  limit: limits.deepResearch,
  client: { stream: "openai" },
  pending: [{ open: "path" }, { open: "request", what: "body" }, { open: "response", what: "body" }]
})
