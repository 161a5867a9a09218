import * as Schema from "effect/Schema"
import { Typed } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import type { GenerateContentBody, GenerateContentResult } from "../protocols/gemini.ts"
import * as limits from "../limits.ts"
import * as prices from "../price/modelPrices.ts"

export const summary = "Generate content as a stream, in the Gemini format"
export const description = "The text arrives piece by piece, while it is being written."

export const streamGenerateContent = Operation.make({
  ...kinds.modelCall,
  id: "models.stream_generate_content",
  path: "/v1beta/models/{model}:streamGenerateContent",
  aliases: ["/v1/models/{model}:streamGenerateContent"],
  request: { path: Schema.Struct({ model: Schema.NonEmptyString }), body: Typed<GenerateContentBody>() },
  /** Without `alt=sse`. */
  success: Schema.Array(Typed<GenerateContentResult>()),
  event: Typed<GenerateContentResult>(),
  family: "gemini",
  price: prices.gemini,
  limit: limits.generateContent,
  client: { stream: "gemini", streamsAs: "generateContentStream" },
  pending: [
    { open: "request", what: "body and query parameters" },
    { open: "response", what: "events" }
  ]
})
