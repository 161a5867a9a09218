import * as declared from "../errors/Family.ts"
import { Typed } from "../Open.ts"
import * as Operation from "../Operation.ts"
import type { ChatCompletion, ChatCompletionChunk, ChatCompletionsBody } from "../protocols/openai.ts"
import * as limits from "../limits.ts"
import { defaultOutputLimit, openaiChoices, openaiLimit } from "../price/outputLimit.ts"
import { estimateTokens } from "../price/tokens.ts"

export const summary = "Answer a conversation, in the OpenAI format"
export const description =
  "A language model writes, summarizes, translates, explains, classifies or codes. Also called a chat completion."

export const chatCompletions = Operation.make({
  id: "chat.completions",
  category: "models",
  method: "POST",
  path: "/v1/chat/completions",
  request: { body: Typed<ChatCompletionsBody>() },
  success: Typed<ChatCompletion>(),
  list: "choices",
  event: Typed<ChatCompletionChunk>(),
  errors: declared.billed,
  family: "openai",
  price: {
    contract: "model_tokens",
    models: {},
    outputLimit: openaiLimit,
    defaultOutputLimit,
    choices: openaiChoices,
    asks: "chat"
  },
  limit: limits.inference,
  expectedTokens: estimateTokens,
  bodyLimit: Operation.bodyLimits.model,
  replay: "billed",
  upstream: "native",
  client: { stream: "openai" },
  pending: [
    { open: "request", what: "body" },
    { open: "response", what: "body" }
  ]
})
