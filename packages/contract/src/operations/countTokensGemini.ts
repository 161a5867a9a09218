import * as Schema from "effect/Schema"
import { Open, Typed } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import type { CountContentBody } from "../protocols/gemini.ts"

export const summary = "Count the input tokens of a content before it is sent, in the Gemini format"
export const description =
  "How long a prompt is, and whether it fits into the context of a model. It goes to the upstream of `models.generate_content` for that model, unless it has a route of its own."

export const countTokensGemini = Operation.make({
  ...kinds.tokenCount,
  id: "models.count_tokens",
  path: "/v1beta/models/{model}:countTokens",
  aliases: ["/v1/models/{model}:countTokens"],
  request: { path: Schema.Struct({ model: Schema.NonEmptyString }), body: Typed<CountContentBody>() },
  success: Open({ totalTokens: Schema.Int }),
  family: "gemini"
})
