import * as Schema from "effect/Schema"
import { Open, Typed } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import * as limits from "../limits.ts"

export const summary = "Say whether a text or an image is harmful"
export const description =
  "Scores hate, violence, self-harm and the like. Only the input is billed, or each call if the operator prices it so: then it needs no model."

export const moderations = Operation.make({
  ...kinds.modelCall,
  id: "moderations",
  path: "/v1/moderations",
  beyond: true,
  request: {
    body: Open({
      input: Schema.Union([
        Schema.String,
        Schema.Array(Schema.String),
        Schema.Array(Open({ type: Schema.String }))
      ]).annotate({ description: "One text or several, or parts with texts and images." }),
      model: Schema.optionalKey(Schema.String)
    })
  },
  success: Open({
    results: Schema.Array(
      Open({
        flagged: Schema.Boolean,
        categories: Typed<Readonly<Record<string, boolean>>>(),
        category_scores: Typed<Readonly<Record<string, number>>>()
      })
    )
  }),
  list: "results",
  family: "openai",
  price: { contract: "model_tokens", models: {}, outputLimit: [], defaultOutputLimit: 0, choices: [] },
  limit: limits.inference
})
