import { Typed } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import type { Completion, CompletionsBody } from "../protocols/openaiCompletions.ts"
import * as limits from "../limits.ts"
import * as prices from "../price/modelPrices.ts"

export const summary = "Complete a text, in OpenAI's old format"
export const description =
  "A language model goes on from a prompt, without roles and turns: base models, code in the middle, older programs."

export const completions = Operation.make({
  ...kinds.modelCall,
  id: "completions",
  path: "/v1/completions",
  beyond: true,
  request: { body: Typed<CompletionsBody>() },
  success: Typed<Completion>(),
  list: "choices",
  event: Typed<Completion>(),
  family: "openai",
  price: prices.completions,
  limit: limits.inference,
  client: { stream: "openai" }
})
