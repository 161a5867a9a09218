import * as Schema from "effect/Schema"
import * as declared from "../errors/Family.ts"
import { Open, Typed } from "../Open.ts"
import * as Operation from "../Operation.ts"
import type { CountTokensBody } from "../protocols/anthropic.ts"
import * as limits from "../limits.ts"

export const summary = "Count the input tokens of a message before it is sent, in the Anthropic format"
export const description =
  "How long a prompt is, and whether it fits into the context of a model. It goes to the upstream of `messages` for that model, unless it has a route of its own."

export const countTokens = Operation.make({
  id: "messages.count_tokens",
  category: "models",
  method: "POST",
  path: "/v1/messages/count_tokens",
  request: { body: Typed<CountTokensBody>() },
  success: Open({ input_tokens: Schema.Int }),
  errors: [...declared.free, 502],
  family: "anthropic",
  price: { contract: "free" },
  limit: limits.countTokens,
  bodyLimit: Operation.bodyLimits.model,
  replay: "free",
  upstream: "native",
  beyond: true
})
