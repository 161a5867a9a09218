import * as Schema from "effect/Schema"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"

export const summary = "Find one model by its name, in the Gemini format"
export const description = "With the header `x-goog-api-key`, the operation `models.get` answers the same."

export const modelGetGemini = Operation.make({
  ...kinds.ownRead,
  id: "models.get_gemini",
  category: "models",
  path: "/v1beta/models/{model}",
  aliases: ["/v1/models/{model}"],
  request: { path: Schema.Struct({ model: Schema.NonEmptyString }) },
  success: Open({ name: Schema.String }),
  family: "gemini",
  beyond: true
})
