import { Typed } from "../Open.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import type { ChatCompletion, ChatCompletionChunk, ChatCompletionsBody } from "../protocols/openai.ts"
import * as limits from "../limits.ts"
import * as prices from "../price/modelPrices.ts"

export const summary = "Answer a conversation, in the OpenAI format"
export const description =
  "A language model writes, summarizes, translates, explains, classifies or codes. Also called a chat completion."

export const chatCompletions = Operation.make({
  ...kinds.modelCall,
  id: "chat.completions",
  path: "/v1/chat/completions",
  request: { body: Typed<ChatCompletionsBody>() },
  success: Typed<ChatCompletion>(),
  list: "choices",
  event: Typed<ChatCompletionChunk>(),
  family: "openai",
  price: prices.openai,
  limit: limits.inference,
  client: { stream: "openai" },
  pending: kinds.openBodies
})
