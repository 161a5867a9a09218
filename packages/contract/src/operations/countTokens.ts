import * as Schema from "effect/Schema"
import { Open, Typed } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import type { CountTokensBody } from "../protocols/anthropic.ts"

export const summary = "Count the input tokens of a message before it is sent, in the Anthropic format"
export const description =
  "How long a prompt is, and whether it fits into the context of a model. It goes to the upstream of `messages` for that model, unless it has a route of its own."

export const countTokens = Operation.make({
  ...kinds.tokenCount,
  id: "messages.count_tokens",
  path: "/v1/messages/count_tokens",
  request: { body: Typed<CountTokensBody>() },
  success: Open({ input_tokens: Schema.Int }),
  family: "anthropic"
})
