import { describe, expect, it } from "vitest"
import { chat } from "../src/chat/index.ts"
import type { AnswerEvent, Conversation, Message } from "../src/Conversation.ts"
import { parse, stringify } from "../src/exact.ts"
import { generateContent } from "../src/generateContent/index.ts"
import type { Json } from "../src/json.ts"
import { Lost } from "../src/losses.ts"
import { messages } from "../src/messages/index.ts"
import { responses } from "../src/responses/index.ts"

const written = (more: Partial<Conversation>) => {
  const lost = new Lost()
  const conversation: Conversation = { model: "m", system: [], messages: [], isStream: false, own: [], ...more }
  const body = messages.writeRequest(conversation, lost, { limit: 100 })
  return { body, lost: [...lost.names] }
}

describe("reasoning", () => {
  const options = { created: 0, wantsUsage: false, isArray: false }
  const content = [
    { type: "thinking", thinking: "", signature: "s1" },
    { type: "thinking", thinking: "So.", signature: "s2" },
    { type: "redacted_thinking", data: "d" }
  ]
  const answer = messages.readAnswer({ content })

  const back = (of: ReadonlyArray<Message>) => written({ messages: of }).body["messages"]

  it("without text is told from redacted reasoning, whichever protocol the caller speaks", () => {
    const turn = [{ role: "assistant", content }]
    expect(back([{ role: "assistant", parts: answer.parts }])).toEqual(turn)
    expect(messages.writeAnswer(answer, options)["content"]).toEqual(content)
    const [{ message }] = chat.writeAnswer(answer, options)["choices"] as [{ message: Json }]
    expect(back(chat.readRequest({ messages: [message] }).messages)).toEqual(turn)
    const { output } = responses.writeAnswer(answer, options)
    expect(back(responses.readRequest({ input: output }).messages)).toEqual(turn)
    const [{ content: candidate }] = generateContent.writeAnswer(answer, options)["candidates"] as [{ content: Json }]
    expect(back(generateContent.readRequest({ contents: [candidate] }).messages)).toEqual(turn)
  })

  it("without text is told from redacted reasoning in a stream", () => {
    const writer = messages.writer(options)
    const text = answer.parts
      .flatMap((part): ReadonlyArray<AnswerEvent> => {
        if (part.type !== "reasoning" || part.sealed === undefined) throw new Error(part.type)
        return [
          { type: "open", part: "reasoning" },
          ...(part.text === "" ? [] : [{ type: "more", text: part.text } as const]),
          { type: "sealed", sealed: part.sealed },
          { type: "close" }
        ]
      })
      .map(writer.next)
      .join("")
    const reader = messages.reader()
    const events = [...text.matchAll(/^data: (.*)$/gm)].flatMap(([, json = ""]) => reader.next(JSON.parse(json)))
    expect(events.flatMap((event) => (event.type === "sealed" ? [event.sealed] : []))).toEqual(
      answer.parts.map((part) => part.type === "reasoning" && part.sealed)
    )
    expect(text.match(/"type":"(?:thinking|redacted_thinking)"/g)).toHaveLength(3)
  })

  it("is shown if the caller wants to see it", () => {
    expect(written({ reasoning: { effort: "low", isShown: true } }).body["thinking"]).toEqual({
      type: "adaptive",
      display: "summarized"
    })
    expect(written({ reasoning: { effort: "low" } }).body["thinking"]).toEqual({ type: "adaptive" })
  })

  it("takes no temperature but 1, and no top_k", () => {
    const reasoning = { effort: "high" }
    expect(written({ reasoning, temperature: 0.5, topK: 3 }).lost).toEqual(["reasoningTemperature", "topK"])
    expect(written({ reasoning, temperature: 0.5, topK: 3 }).body).not.toHaveProperty("temperature")
    const { temperature } = chat.readRequest(parse('{"model":"m","messages":[],"temperature":1.0}') as Json)
    const one = written({ reasoning, temperature: temperature ?? 0 })
    expect([one.lost, stringify(one.body["temperature"])]).toEqual([[], "1.0"])
    const off = written({ reasoning: { isOff: true }, temperature: 0.5, topK: 3 })
    expect([off.lost, off.body]).toMatchObject([[], { temperature: 0.5, top_k: 3 }])
    const hot = written({ temperature: parse("1.50") as number })
    expect([hot.lost, hot.body]).toMatchObject([["hotTemperature"], { temperature: 1 }])
  })
})

it("a block that begins with its content has it", () => {
  const reader = messages.reader()
  const start = (content_block: Json) => reader.next({ type: "content_block_start", index: 0, content_block })
  expect(start({ type: "tool_use", id: "a", name: "depth", input: { y: 1 } })).toEqual([
    { type: "open", part: "call", id: "a", name: "depth" },
    { type: "more", text: '{"y":1}' }
  ])
  expect(start({ type: "text", text: "One" })).toEqual([
    { type: "open", part: "text" },
    { type: "more", text: "One" }
  ])
})
