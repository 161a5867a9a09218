import * as Schema from "effect/Schema"
import * as declared from "../errors/Family.ts"
import { Typed } from "../Open.ts"
import * as Operation from "../Operation.ts"
import type { GenerateContentBody, GenerateContentResult } from "../protocols/gemini.ts"
import * as limits from "../limits.ts"
import { defaultOutputLimit, geminiChoices, geminiLimit } from "../price/outputLimit.ts"
import { estimateTokens } from "../price/tokens.ts"

export const summary = "Generate content, in the Gemini format"
export const description =
  "A language model writes, summarizes, translates, explains or codes. Also called a completion."

export const generateContent = Operation.make({
  id: "models.generate_content",
  category: "models",
  method: "POST",
  path: "/v1beta/models/{model}:generateContent",
  request: { path: Schema.Struct({ model: Schema.NonEmptyString }), body: Typed<GenerateContentBody>() },
  success: Typed<GenerateContentResult>(),
  list: "candidates",
  errors: declared.billed,
  family: "gemini",
  price: {
    contract: "model_tokens",
    models: {},
    outputLimit: geminiLimit,
    defaultOutputLimit,
    choices: geminiChoices,
    asks: "gemini"
  },
  limit: limits.generateContent,
  expectedTokens: estimateTokens,
  bodyLimit: Operation.bodyLimits.model,
  replay: "billed",
  upstream: "native",
  pending: [
    { open: "request", what: "body" },
    { open: "response", what: "body" }
  ]
})
