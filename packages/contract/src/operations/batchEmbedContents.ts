import * as Schema from "effect/Schema"
import { Open, Typed } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import type { EmbedContentBody } from "../protocols/gemini.ts"
import * as limits from "../limits.ts"

export const summary = "Embed several contents as vectors, in the Gemini format"
export const description =
  "What `embedContent` of the Google SDK calls. It goes to the upstream of `models.embed_content` for that model, unless it has a route of its own. All requests are for the model of the path."

export const batchEmbedContents = Operation.make({
  ...kinds.modelCall,
  id: "models.batch_embed_contents",
  path: "/v1beta/models/{model}:batchEmbedContents",
  aliases: ["/v1/models/{model}:batchEmbedContents"],
  request: {
    path: Schema.Struct({ model: Schema.NonEmptyString }),
    body: Typed<{ readonly requests: ReadonlyArray<EmbedContentBody> }>()
  },
  success: Open({ embeddings: Schema.Array(Open({ values: Schema.Array(Schema.Finite) })) }),
  family: "gemini",
  price: { contract: "model_tokens", models: {}, outputLimit: [], defaultOutputLimit: 0, choices: [] },
  limit: limits.inference,
  beyond: true
})
