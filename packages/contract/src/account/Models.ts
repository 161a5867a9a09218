import * as Schema from "effect/Schema"
import * as Api from "../Api.ts"
import { Flag, Text } from "./Amount.ts"

const Rates = Schema.Record(Schema.String, Schema.String).annotate({
  description: "In decimal USD per million tokens, by kind: `input`, `output`, `cacheRead`, `cacheWrite` and others."
})

/** An operation that a model can be named in, and what it costs there. */
export const ModelOperation = Schema.Struct({
  id: Schema.String,
  price: Text("In words: `$1 in, $4 out / 1M tokens`."),
  rates: Schema.NullOr(Rates).annotate({ description: "`null`: the price does not depend on the model." }),
  long_prompt: Schema.NullOr(Schema.Struct({ above: Schema.Int, rates: Rates })).annotate({
    description: "The rates of the whole call if its prompt has more tokens than `above`."
  }),
  also: Schema.Array(Schema.String).annotate({ description: "What else changes the price, a clause each." }),
  protocols: Schema.Array(Schema.String).annotate({ description: "Of the upstreams that serve it." }),
  is_translated: Flag("Whether only upstreams of other protocols serve it.")
}).annotate({ identifier: "ModelOperation" })
export interface ModelOperation extends Schema.Schema.Type<typeof ModelOperation> {}

export const OfferedModel = Schema.Struct({
  id: Schema.String,
  owned_by: Schema.NullOr(Schema.String),
  context_window: Schema.NullOr(Schema.Int),
  max_output: Schema.NullOr(Schema.Int),
  operations: Schema.Array(ModelOperation)
}).annotate({ identifier: "OfferedModel" })
export interface OfferedModel extends Schema.Schema.Type<typeof OfferedModel> {}

export const OfferedModels = Schema.Struct({ models: Schema.Array(OfferedModel) }).annotate({
  identifier: "OfferedModels"
})
export interface OfferedModels extends Schema.Schema.Type<typeof OfferedModels> {}

export const models = {
  models: Api.get("/models", {
    summary: "All models, by name: which operations reach each, by which protocols and at what list price",
    success: OfferedModels
  })
} as const
