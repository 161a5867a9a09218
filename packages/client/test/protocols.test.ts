import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import {
  type ChatCompletion,
  type ChatCompletionChunk,
  type ChatCompletionsInput,
  chatCompletions,
  chatCompletionsStream,
  creatorInsights,
  deepResearch,
  generateContent,
  type GeminiContent,
  type GenerateContentResult,
  type GenerateContentInput,
  type Message,
  messages,
  type MessagesInput,
  type MessageStreamEvent,
  responses,
  type ResponsesInput,
  type ResponsesResult
} from "@tollgate/client"
import * as Effect from "effect/Effect"
import { answer, attempts } from "./attempts.ts"

const question = { model: "m", messages: [{ role: "user" as const, content: "Why do rivers bend?" }] }
const contents = { path: { model: "m" }, body: { contents: [{ parts: [{ text: "Why?" }] }] } }

describe("a model's answer without its list is AnswerInvalid", () => {
  for (const [list, call] of [
    ["choices", chatCompletions(question)],
    ["output", responses({ model: "m", input: "Why?" })],
    ["content", messages(question)],
    ["candidates", generateContent(contents)]
  ] as const) {
    it.effect(list, () =>
      Effect.gen(function* () {
        for (const body of [{}, { [list]: null }, { [list]: {} }]) {
          const { result } = yield* attempts<unknown, { readonly _tag: string; readonly message: string }>(
            call,
            answer(200, body)
          )
          expect(result).toMatchObject({ failure: { _tag: "AnswerInvalid", message: `The answer has no \`${list}\`` } })
        }
        const { result } = yield* attempts<unknown, unknown>(call, answer(200, { [list]: [] }))
        expect(result).toMatchObject({ success: { [list]: [] } })
      })
    )
  }

  it.effect("unless Gemini says why there is none", () =>
    Effect.gen(function* () {
      const blocked = { promptFeedback: { blockReason: "SAFETY" } }
      const { result } = yield* attempts(generateContent(contents), answer(200, blocked))
      expect(result).toMatchObject({ success: blocked })
    })
  )
})

describe("stream: true", () => {
  const options = { bindings: { "deep_research.search": { path: "/v1/deep-research" } } }
  it.effect("is refused with the name of the function that streams", () =>
    Effect.gen(function* () {
      const streamed = { ...question, stream: true } as never
      for (const [name, call] of [
        ["chatCompletionsStream", chatCompletions(streamed)],
        ["chatCompletionsStream", chatCompletions(question, { extra: { stream: true } })],
        ["responsesStream", responses({ model: "m", stream: true } as never)],
        ["messagesStream", messages(streamed)],
        ["deepResearchStream", deepResearch(streamed)]
      ] as const) {
        const { result, sent } = yield* attempts<unknown, unknown>(call, answer(200, {}), options)
        expect(result).toMatchObject({ failure: { _tag: "InputInvalid", message: `Call \`${name}\` for a stream` } })
        expect(sent).toEqual([])
      }
    })
  )
})

describe("a pending parameter that is a number", () => {
  it.effect("is sent as text, under its bound name", () =>
    Effect.gen(function* () {
      const id = "reseller.social_c.creator_search_insights_videos"
      const bindings = { [id]: { parameters: { offset: "from", page_size: "count" } } }
      const envelope = answer(200, { code: 200 })
      const { sent } = yield* attempts(creatorInsights({ keyword: "k", offset: 10, page_size: 5 }), envelope, {
        bindings
      })
      expect(sent[0]?.url.search).toBe("?keyword=k&from=10&count=5")
      const { result } = yield* attempts(creatorInsights({ offset: 1.5 }), envelope, { bindings })
      expect(result).toMatchObject({ failure: { _tag: "InputInvalid" } })
    })
  )
})

// The type check proves these, not the test run.
describe("the types of protocols", () => {
  it("let an answer be sent back", () => {
    const chat = ({ choices }: ChatCompletion): ChatCompletionsInput => ({
      model: "m",
      messages: [...choices.map(({ message }) => message), { role: "tool", tool_call_id: "1", content: "sunny" }]
    })
    const anthropic = ({ content }: Message): MessagesInput => ({
      model: "m",
      max_tokens: 10,
      messages: [
        { role: "assistant", content },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: "sunny" }] }
      ]
    })
    const gemini = ({ candidates = [] }: GenerateContentResult): GenerateContentInput => ({
      path: { model: "m" },
      body: { contents: candidates.flatMap(({ content }) => (content === undefined ? [] : [content])) }
    })
    const openaiResponses = ({ output }: ResponsesResult): ResponsesInput => ({
      model: "m",
      input: [...output, { type: "function_call_output", call_id: "1", output: "sunny" }]
    })
    expectTypeOf([chat, anthropic, gemini, openaiResponses]).toBeArray()
  })

  it("know the parts of messages, and accept others", () => {
    const input: ChatCompletionsInput = {
      model: "m",
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image_url", image_url: { url: "data:image/png;base64,…" } },
            { type: "video_url", video_url: { url: "https://videos.example/1" } }
          ]
        }
      ],
      tools: [
        { type: "function", function: { name: "weather", parameters: { type: "object" } } },
        { type: "web_search", max_uses: 2 }
      ],
      response_format: { type: "json_schema", json_schema: { name: "answer", schema: { type: "object" } } }
    }
    expectTypeOf(input).toExtend<ChatCompletionsInput>()
    // @ts-expect-error: a message has content
    const missing: ChatCompletionsInput = { model: "m", messages: [{ role: "user", contnt: "hi" }] }
    // @ts-expect-error: the field is max_tokens
    const misspelt: ChatCompletionsInput = { model: "m", messages: [], maxTokens: 1 }
    expectTypeOf([missing, misspelt]).toBeArray()
    // @ts-expect-error: it always streams
    const whole = () => chatCompletionsStream({ model: "m", messages: [], stream: false })
    expectTypeOf(whole).toBeFunction()
  })

  it("know the roles of each protocol", () => {
    const turns = (["user", "assistant"] as const).map((role) => ({ role, content: "?" }))
    expectTypeOf({ model: "m", messages: turns }).toExtend<ChatCompletionsInput>()
    expectTypeOf({ model: "m", max_tokens: 1, messages: turns }).toExtend<MessagesInput>()
    expectTypeOf({ model: "m", input: turns }).toExtend<ResponsesInput>()
    expectTypeOf({ role: "model" as const, parts: [{ text: "?" }] }).toExtend<GeminiContent>()
    // @ts-expect-error: the role is "user"
    const chat: ChatCompletionsInput = { model: "m", messages: [{ role: "usr", content: "?" }] }
    // @ts-expect-error: the role is "user"
    const message: MessagesInput = { model: "m", max_tokens: 1, messages: [{ role: "usr", content: "?" }] }
    // @ts-expect-error: the role is "user"
    const response: ResponsesInput = { model: "m", input: [{ role: "usr", content: "?" }] }
    // @ts-expect-error: also if the item says that it is a message
    const item: ResponsesInput = { model: "m", input: [{ type: "message", role: "usr", content: "?" }] }
    // @ts-expect-error: the role is "user"
    const content: GeminiContent = { role: "usr", parts: [] }
    expectTypeOf([chat, message, response, item, content]).toBeArray()
  })

  it("know an event by its type, and keep other fields", () => {
    const textIn = (event: MessageStreamEvent): string =>
      event.type === "content_block_delta" && event.delta.type === "text_delta" ? event.delta.text : ""
    expectTypeOf(textIn).returns.toBeString()
    expectTypeOf<ChatCompletionChunk["choices"][number]["delta"]["content"]>().toEqualTypeOf<
      string | null | undefined
    >()
    expectTypeOf<ChatCompletionChunk["x_provider"]>().toBeUnknown()
    expectTypeOf<ChatCompletion["usage"]>().exclude(undefined).toHaveProperty("prompt_tokens").toBeNumber()
  })
})
