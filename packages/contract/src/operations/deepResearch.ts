import * as declared from "../errors/Family.ts"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as limits from "../limits.ts"
import { defaultOutputLimit, openaiChoices, openaiLimit } from "../price/outputLimit.ts"
import { estimateTokens } from "../price/tokens.ts"

export const summary = "Search and reason over many sources"
export const description =
  "A report with citations from the web on a broad question, for which one search is not enough."

export const deepResearch = Operation.make({
  id: "deep_research.search",
  category: "models",
  method: "POST",
  request: { body: Open({}) },
  success: Open({}),
  event: Open({}),
  errors: declared.billed,
  family: "openai",
  price: {
    contract: "model_tokens",
    models: {},
    outputLimit: openaiLimit,
    defaultOutputLimit,
    choices: openaiChoices,
    asks: "chat"
  },
  limit: limits.deepResearch,
  expectedTokens: estimateTokens,
  bodyLimit: Operation.bodyLimits.model,
  replay: "billed",
  upstream: "native",
  client: { stream: "openai" },
  pending: [{ open: "path" }, { open: "request", what: "body" }, { open: "response", what: "body" }]
})
