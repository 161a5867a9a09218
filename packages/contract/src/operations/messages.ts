import { Typed } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import type { Message, MessagesBody } from "../protocols/anthropic.ts"
import type { MessageStreamEvent } from "../protocols/anthropicEvents.ts"
import * as limits from "../limits.ts"
import * as prices from "../price/modelPrices.ts"

export const summary = "Answer a conversation, in the Anthropic format"
export const description = "A language model such as Claude writes, summarizes, translates, explains, reviews or codes."

export const messages = Operation.make({
  ...kinds.modelCall,
  id: "messages",
  path: "/v1/messages",
  request: { body: Typed<MessagesBody>() },
  success: Typed<Message>(),
  list: "content",
  event: Typed<MessageStreamEvent>(),
  family: "anthropic",
  price: prices.anthropic,
  limit: limits.inference,
  client: { stream: "anthropic" },
  pending: kinds.openBodies
})
