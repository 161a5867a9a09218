import type Anthropic from "@anthropic-ai/sdk"
import type { GenerateContentResponse } from "@google/genai"
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionsInput,
  ChatCompletionsStreamInput,
  GenerateContentResult,
  Message,
  MessagesInput,
  MessageStreamEvent,
  ResponsesEvent,
  ResponsesInput,
  ResponsesResult,
  ResponsesStreamInput
} from "@tollgate/client"
import type OpenAI from "openai"
import { expectTypeOf, it } from "vitest"

// The type check proves these, not the test run. The SDKs' types have no index signature, so answers are compared by field.

type Fields<T> = { [K in keyof T as string extends K ? never : K]: T[K] }

it("a request that is written for OpenAI's SDK fits", () => {
  expectTypeOf<OpenAI.Chat.ChatCompletionCreateParamsNonStreaming>().toExtend<ChatCompletionsInput>()
  expectTypeOf<OpenAI.Chat.ChatCompletionCreateParamsStreaming>().toExtend<ChatCompletionsStreamInput>()
})

it("a request that is written for OpenAI's Responses fits, if it names its model", () => {
  type Named = { readonly model: string }
  expectTypeOf<OpenAI.Responses.ResponseCreateParamsNonStreaming & Named>().toExtend<ResponsesInput>()
  expectTypeOf<OpenAI.Responses.ResponseCreateParamsStreaming & Named>().toExtend<ResponsesStreamInput>()
})

it("a request that is written for Anthropic's SDK fits", () => {
  expectTypeOf<Anthropic.MessageCreateParamsNonStreaming>().toExtend<MessagesInput>()
})

it("the fields of answers are those of the SDKs", () => {
  expectTypeOf<keyof Fields<ChatCompletion>>().toExtend<keyof OpenAI.Chat.ChatCompletion>()
  expectTypeOf<keyof Fields<ChatCompletionChunk>>().toExtend<keyof OpenAI.Chat.ChatCompletionChunk>()
  expectTypeOf<keyof Fields<ResponsesResult>>().toExtend<keyof OpenAI.Responses.Response>()
  expectTypeOf<ResponsesEvent["type"]>().toExtend<OpenAI.Responses.ResponseStreamEvent["type"]>()
  expectTypeOf<keyof Fields<Message>>().toExtend<keyof Anthropic.Message>()
  expectTypeOf<keyof Fields<GenerateContentResult>>().toExtend<keyof GenerateContentResponse>()
  expectTypeOf<MessageStreamEvent["type"]>().toExtend<Anthropic.MessageStreamEvent["type"] | "ping">()
})
