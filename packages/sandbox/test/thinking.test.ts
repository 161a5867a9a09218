import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { count } from "../src/text/tokens.ts"
import { bills, eventsOf, post, styles, talk, weather, withBillingLog } from "./talk.ts"

const question = "Which river in Africa is the longest?"

interface Chat {
  readonly choices: ReadonlyArray<{
    readonly message: { readonly content: string }
    readonly logprobs: {
      readonly content: ReadonlyArray<Token & { readonly top_logprobs: ReadonlyArray<Token> }>
    } | null
  }>
  readonly usage: {
    readonly completion_tokens: number
    readonly completion_tokens_details: { readonly reasoning_tokens: number }
  }
}

interface Token {
  readonly token: string
  readonly logprob: number
  readonly bytes: ReadonlyArray<number>
}

interface Block {
  readonly type: string
  readonly text?: string
  readonly thinking?: string
  readonly signature?: string
}

interface Message {
  readonly content: ReadonlyArray<Block>
  readonly usage: {
    readonly output_tokens: number
    readonly output_tokens_details: { readonly thinking_tokens: number }
  }
}

interface MessageEvent extends Pick<Message, "usage"> {
  readonly type: string
  readonly index: number
  readonly content_block: Block
  readonly delta: Block
}

interface Content {
  readonly candidates: readonly [
    { readonly content: { readonly parts: ReadonlyArray<{ readonly text: string; readonly thought?: boolean }> } }
  ]
  readonly usageMetadata: Readonly<Record<string, number>>
}

interface Answers {
  readonly chat: Chat
  readonly messages: Message
  readonly gemini: Content
}

interface Events {
  readonly chat: Chat
  readonly messages: MessageEvent
  readonly gemini: Content
}

const whole = <S extends keyof Answers>(style: S, more: object) =>
  talk<Answers[S]>(styles[style].path, styles[style].body(question, more))

const streamed = <S extends keyof Events>(style: S, more: object) =>
  Effect.map(
    post(styles[style].stream, styles[style].body(question, { ...styles[style].streamed, ...more })),
    (answer) => eventsOf(answer.text).flatMap(({ data }) => (data === "[DONE]" ? [] : [JSON.parse(data) as Events[S]]))
  )

const billedOutput = Effect.map(bills, (all) => all.map(({ billed }) => billed["output"]))

describe("reasoning of a chat completion", () => {
  it.effect("counts as completion, whole and streamed, and is billed", () =>
    withBillingLog(
      Effect.gen(function* () {
        const { body } = yield* whole("chat", { reasoning_effort: "low", n: 2 })
        const { completion_tokens, completion_tokens_details } = body.usage
        expect(completion_tokens_details.reasoning_tokens).toBe(64)
        const [first, second] = body.choices.map(({ message }) => count(message.content))
        expect(completion_tokens).toBe(64 + first! + second!)
        const events = yield* streamed("chat", { reasoning_effort: "high", stream_options: { include_usage: true } })
        const last = events.at(-1)!.usage
        expect(last.completion_tokens_details.reasoning_tokens).toBe(128)
        expect(yield* billedOutput).toEqual([completion_tokens, last.completion_tokens])
        const plain = yield* whole("chat", { reasoning_effort: "none" })
        expect(plain.body.usage.completion_tokens_details.reasoning_tokens).toBe(0)
        expect((yield* whole("chat", { reasoning_effort: "enormous" })).status).toBe(400)
      })
    )
  )

  it.effect("may use up the limit, so that nothing is answered", () =>
    withBillingLog(
      Effect.gen(function* () {
        const { body } = yield* whole("chat", { reasoning_effort: "high", max_completion_tokens: 50 })
        expect(body.choices[0]).toMatchObject({ message: { content: "" }, finish_reason: "length" })
        expect(body.usage).toMatchObject({ completion_tokens: 50, completion_tokens_details: { reasoning_tokens: 50 } })
      })
    )
  )
})

describe("thinking of a message", () => {
  it.effect("is a block of its own before the answer, whole and streamed", () =>
    withBillingLog(
      Effect.gen(function* () {
        const asked = { max_tokens: 2000, thinking: { type: "enabled", budget_tokens: 1024 } }
        const { body } = yield* whole("messages", asked)
        const [thinking, text] = body.content
        expect(thinking).toEqual({
          type: "thinking",
          thinking: expect.stringContaining("river"),
          signature: expect.stringMatching(/^sig_/)
        })
        expect(text?.type).toBe("text")
        expect(body.usage).toMatchObject({
          output_tokens: count(thinking!.thinking!) + count(text!.text!),
          output_tokens_details: { thinking_tokens: count(thinking!.thinking!) }
        })
        const events = yield* streamed("messages", asked)
        const blocks: Array<{ type: string; text: string; signature: string }> = []
        for (const { content_block, delta, index, type } of events) {
          if (type === "content_block_start") blocks[index] = { type: content_block.type, text: "", signature: "" }
          if (type === "content_block_delta") {
            blocks[index]!.text += delta.thinking ?? delta.text ?? ""
            blocks[index]!.signature += delta.signature ?? ""
          }
        }
        expect(blocks).toEqual([
          { type: "thinking", text: thinking?.thinking, signature: expect.stringMatching(/^sig_/) },
          { type: "text", text: text?.text, signature: "" }
        ])
        const { usage } = events.find(({ type }) => type === "message_delta")!
        expect(usage).toEqual({
          output_tokens: body.usage.output_tokens,
          output_tokens_details: body.usage.output_tokens_details
        })
        expect(yield* billedOutput).toEqual([usage.output_tokens, usage.output_tokens])
      })
    )
  )

  it.effect("may be adaptive and hidden, comes before a tool call, and needs room for the answer", () =>
    withBillingLog(
      Effect.gen(function* () {
        const hidden = { thinking: { type: "adaptive", display: "omitted" }, output_config: { effort: "low" } }
        const { body } = yield* whole("messages", hidden)
        expect(body.content[0]).toMatchObject({ type: "thinking", thinking: "" })
        expect(body.usage.output_tokens_details).toEqual({ thinking_tokens: 32 })
        yield* streamed("messages", hidden)
        const tools = [{ name: "weather", input_schema: weather }]
        const called = yield* whole("messages", { thinking: { type: "adaptive" }, tools })
        expect(called.body.content.map(({ type }) => type)).toEqual(["thinking", "tool_use"])
        const [first, second] = yield* billedOutput
        expect(second).toBe(first)
        for (const thinking of [
          { type: "enabled", budget_tokens: 1000 },
          { type: "enabled", budget_tokens: 1024 }
        ])
          expect((yield* whole("messages", { max_tokens: 1024, thinking })).status).toBe(400)
      })
    )
  )
})

describe("thoughts of generated content", () => {
  it.effect("are counted beside the candidates, and shown if asked for", () =>
    withBillingLog(
      Effect.gen(function* () {
        const config = { thinkingConfig: { thinkingBudget: 40, includeThoughts: true } }
        const { body } = yield* whole("gemini", { generationConfig: config })
        const [thought, text] = body.candidates[0].content.parts
        expect(thought).toEqual({ text: expect.any(String), thought: true })
        expect(body.usageMetadata).toMatchObject({
          thoughtsTokenCount: 40,
          candidatesTokenCount: count(text!.text),
          totalTokenCount: body.usageMetadata.promptTokenCount! + 40 + count(text!.text)
        })
        const events = yield* streamed("gemini", { generationConfig: config })
        const shown = events.flatMap(({ candidates }) => candidates[0].content.parts)
        const textOf = (thought: boolean) =>
          shown.flatMap((part) => ((part.thought === true) === thought ? [part.text] : [])).join("")
        expect([textOf(true), textOf(false)]).toEqual([thought?.text, text?.text])
        expect(events.at(-1)?.usageMetadata).toEqual(body.usageMetadata)
        const snake = { generation_config: { thinking_config: { thinking_level: "LOW" } } }
        const hidden = yield* streamed("gemini", snake)
        expect(hidden.flatMap(({ candidates }) => candidates[0].content.parts)).not.toContainEqual(
          expect.objectContaining({ thought: true })
        )
        const used = hidden.at(-1)!.usageMetadata
        expect(used.thoughtsTokenCount).toBe(32)
        const all = count(text!.text) + 40
        expect(yield* billedOutput).toEqual([all, all, used.candidatesTokenCount! + 32])
        const off = yield* whole("gemini", { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } })
        expect(off.body.usageMetadata).not.toHaveProperty("thoughtsTokenCount")
      })
    )
  )
})

describe("log probabilities of a chat completion", () => {
  it.effect("are those of its tokens, whole and streamed", () =>
    withBillingLog(
      Effect.gen(function* () {
        const asked = { logprobs: true, top_logprobs: 3 }
        const { body } = yield* whole("chat", asked)
        const { logprobs, message } = body.choices[0]!
        const content = logprobs!.content
        expect(content.map(({ token }) => token).join("")).toBe(message.content)
        expect(content).toHaveLength(body.usage.completion_tokens)
        for (const { bytes, logprob, token, top_logprobs } of content) {
          expect(new TextDecoder().decode(Uint8Array.from(bytes))).toBe(token)
          expect(logprob).toBeLessThanOrEqual(0)
          expect(top_logprobs[0]).toEqual({ token, logprob, bytes })
          const ranked = top_logprobs.map((one) => one.logprob)
          expect(ranked).toEqual(ranked.toSorted((a, b) => b - a))
          expect(new Set(top_logprobs.map((one) => one.token)).size).toBe(3)
        }
        const events = yield* streamed("chat", asked)
        expect(events.flatMap(({ choices }) => choices[0]?.logprobs?.content ?? [])).toEqual(content)
        expect((yield* whole("chat", {})).body.choices[0]!.logprobs).toBe(null)
        const bare = yield* whole("chat", { logprobs: true })
        expect(bare.body.choices[0]!.logprobs!.content[0]!.top_logprobs).toEqual([])
        for (const wrong of [{ top_logprobs: 2 }, { logprobs: true, top_logprobs: 21 }, { logprobs: "yes" }])
          expect((yield* whole("chat", wrong)).status).toBe(400)
      })
    )
  )
})
