import * as Schema from "effect/Schema"
import * as declared from "../errors/Family.ts"
import { Open } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as limits from "../limits.ts"
import { responses } from "./responses.ts"

export const summary = "Count the input tokens of a response before it is asked for"
export const description =
  "How long a conversation is, and whether it fits into the context of a model. It goes to the upstream of `responses` for that model, unless it has a route of its own."

export const responsesInputTokens = Operation.make({
  id: "responses.input_tokens",
  category: "models",
  method: "POST",
  path: "/v1/responses/input_tokens",
  request: { body: responses.request.body },
  success: Open({ input_tokens: Schema.Int }),
  errors: [...declared.free, 502],
  family: "openai",
  price: { contract: "free" },
  limit: limits.countTokens,
  bodyLimit: Operation.bodyLimits.model,
  replay: "free",
  upstream: "native",
  beyond: true
})
