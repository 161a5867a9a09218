import * as Schema from "effect/Schema"
import { Open, Typed } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import type { EmbedContentBody } from "../protocols/gemini.ts"
import * as limits from "../limits.ts"

export const summary = "Embed a content as a vector, in the Gemini format"
export const description =
  "For semantic search and similarity: contents that mean the same get vectors that are near each other. Only the input is billed."

export const embedContent = Operation.make({
  ...kinds.modelCall,
  id: "models.embed_content",
  path: "/v1beta/models/{model}:embedContent",
  aliases: ["/v1/models/{model}:embedContent"],
  request: {
    path: Schema.Struct({ model: Schema.NonEmptyString }),
    body: Typed<EmbedContentBody>()
  },
  success: Open({ embedding: Open({ values: Schema.Array(Schema.Finite) }) }),
  family: "gemini",
  price: { contract: "model_tokens", models: {}, outputLimit: [], defaultOutputLimit: 0, choices: [] },
  limit: limits.inference,
  beyond: true
})
