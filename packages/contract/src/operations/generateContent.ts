import * as Schema from "effect/Schema"
import { Typed } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import type { GenerateContentBody, GenerateContentResult } from "../protocols/gemini.ts"
import * as limits from "../limits.ts"
import * as prices from "../price/modelPrices.ts"

export const summary = "Generate content, in the Gemini format"
export const description =
  "A language model writes, summarizes, translates, explains or codes. Also called a completion."

export const generateContent = Operation.make({
  ...kinds.modelCall,
  id: "models.generate_content",
  path: "/v1beta/models/{model}:generateContent",
  aliases: ["/v1/models/{model}:generateContent"],
  request: { path: Schema.Struct({ model: Schema.NonEmptyString }), body: Typed<GenerateContentBody>() },
  success: Typed<GenerateContentResult>(),
  list: "candidates",
  family: "gemini",
  price: prices.gemini,
  limit: limits.generateContent,
  pending: kinds.openBodies
})
