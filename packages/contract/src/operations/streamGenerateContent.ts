import * as Schema from "effect/Schema"
import * as declared from "../errors/Family.ts"
import { Typed } from "../Open.ts"
import * as Operation from "../Operation.ts"
import type { GenerateContentBody, GenerateContentResult } from "../protocols/gemini.ts"
import * as limits from "../limits.ts"
import { defaultOutputLimit, geminiChoices, geminiLimit } from "../price/outputLimit.ts"
import { estimateTokens } from "../price/tokens.ts"

export const summary = "Generate content as a stream, in the Gemini format"
export const description = "The text arrives piece by piece, while it is being written."

export const streamGenerateContent = Operation.make({
  id: "models.stream_generate_content",
  category: "models",
  method: "POST",
  path: "/v1beta/models/{model}:streamGenerateContent",
  request: { path: Schema.Struct({ model: Schema.NonEmptyString }), body: Typed<GenerateContentBody>() },
  /** Without `alt=sse`. */
  success: Schema.Array(Typed<GenerateContentResult>()),
  event: Typed<GenerateContentResult>(),
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
  client: { stream: "gemini", streamsAs: "generateContentStream" },
  pending: [
    { open: "request", what: "body and query parameters" },
    { open: "response", what: "events" }
  ]
})
