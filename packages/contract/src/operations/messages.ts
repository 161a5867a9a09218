import * as declared from "../errors/Family.ts"
import { Typed } from "../Open.ts"
import * as Operation from "../Operation.ts"
import type { Message, MessagesBody } from "../protocols/anthropic.ts"
import type { MessageStreamEvent } from "../protocols/anthropicEvents.ts"
import * as limits from "../limits.ts"
import { anthropicLimit, defaultOutputLimit } from "../price/outputLimit.ts"
import { estimateTokens } from "../price/tokens.ts"

export const summary = "Answer a conversation, in the Anthropic format"
export const description = "A language model such as Claude writes, summarizes, translates, explains, reviews or codes."

export const messages = Operation.make({
  id: "messages",
  category: "models",
  method: "POST",
  path: "/v1/messages",
  request: { body: Typed<MessagesBody>() },
  success: Typed<Message>(),
  list: "content",
  event: Typed<MessageStreamEvent>(),
  errors: declared.billed,
  family: "anthropic",
  price: {
    contract: "model_tokens",
    models: {},
    outputLimit: anthropicLimit,
    defaultOutputLimit,
    choices: [],
    asks: "anthropic"
  },
  limit: limits.inference,
  expectedTokens: estimateTokens,
  bodyLimit: Operation.bodyLimits.model,
  replay: "billed",
  upstream: "native",
  client: { stream: "anthropic" },
  pending: [
    { open: "request", what: "body" },
    { open: "response", what: "body" }
  ]
})
