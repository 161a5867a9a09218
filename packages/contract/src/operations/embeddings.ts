import * as Schema from "effect/Schema"
import { Maybe, Open, Typed } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import type { EmbeddingList } from "../protocols/openaiEmbeddings.ts"
import * as limits from "../limits.ts"

const Tokens = Schema.Array(Schema.Int)

export const summary = "Embed texts as vectors, in the OpenAI format"
export const description =
  "For semantic search and similarity: texts that mean the same get vectors that are near each other. Only the input is billed."

export const embeddings = Operation.make({
  ...kinds.modelCall,
  id: "embeddings",
  path: "/v1/embeddings",
  request: {
    body: Open({
      model: Schema.String,
      input: Schema.Union([Schema.String, Schema.Array(Schema.String), Tokens, Schema.Array(Tokens)]).annotate({
        description: "One text or several, or their tokens as numbers."
      }),
      dimensions: Maybe(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))).annotate({
        description: "The length of a vector, if the model can shorten it."
      }),
      encoding_format: Maybe(Schema.Literals(["float", "base64"])),
      user: Maybe(Schema.String)
    })
  },
  success: Typed<EmbeddingList>(),
  list: "data",
  family: "openai",
  price: { contract: "model_tokens", models: {}, outputLimit: [], defaultOutputLimit: 0, choices: [] },
  limit: limits.inference,
  bodyLimit: Operation.bodyLimits.documents,
  beyond: true,
  client: { narrowed: { encoding_format: '"float" | null' } }
})
