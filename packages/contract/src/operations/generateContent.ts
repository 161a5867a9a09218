import * as Schema from "effect/Schema"
import * as declared from "../errors/declared.ts"
import { Typed } from "../Open.ts"
import * as Operation from "../Operation.ts"
import type { GenerateContentBody, GenerateContentResult } from "../protocols/gemini.ts"
import { limits } from "../Tier.ts"
import { choices, defaultOutputLimit, outputLimit } from "../price/outputLimit.ts"
import { estimateTokens } from "../price/tokens.ts"

export const description =
  "A language model writes, summarizes, translates, explains or codes. Also called a completion."

export const generateContent = Operation.make({
  id: "models.generate_content",
  category: "models",
  summary: "Generate content, in the Gemini format",
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
    outputLimit: outputLimit.gemini,
    defaultOutputLimit,
    choices: choices.gemini,
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
