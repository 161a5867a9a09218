import * as Schema from "effect/Schema"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { responses } from "./responses.ts"

export const summary = "Count the input tokens of a response before it is asked for"
export const description =
  "How long a conversation is, and whether it fits into the context of a model. It goes to the upstream of `responses` for that model, unless it has a route of its own."

export const responsesInputTokens = Operation.make({
  ...kinds.tokenCount,
  id: "responses.input_tokens",
  path: "/v1/responses/input_tokens",
  request: { body: responses.request.body },
  success: Open({ input_tokens: Schema.Int }),
  family: "openai"
})
