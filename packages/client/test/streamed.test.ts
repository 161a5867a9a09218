import {
  addEvent,
  chatCompletionsStream,
  emptyMessage,
  finalMessage,
  messagesStream,
  tee,
  textOf,
  toReadableStream,
  toResponse
} from "@tollgate/client"
import { fail, says, testClient } from "@tollgate/client/testing"
import { describe, expect, it } from "vitest"

const input = { model: "m", messages: [{ role: "user", content: "?" }] } as const

const client = (end: "whole" | "cut" = "whole") => {
  const all = testClient({ pace: false })
  all.gateway.on(chatCompletionsStream, says(["Hel", "lo", "!"], { cost: "0.001", end }))
  all.gateway.on(messagesStream, says(["Hel", "lo"], { cost: "0.001", end }))
  return all
}

const reduced = (events: ReadonlyArray<object>) =>
  finalMessage(
    (async function* () {
      for (const event of events) yield event as Readonly<Record<string, unknown>>
    })()
  )

describe("the message at the end of a stream", () => {
  it("has the text and the usage", async () => {
    const { client: tollgate } = client()
    const chat = await finalMessage(tollgate.chatCompletionsStream(input))
    expect(chat).toMatchObject({ text: "Hello!", tools: [], finish: "stop" })
    const message = await finalMessage(tollgate.messagesStream({ ...input, max_tokens: 9 }))
    expect(message).toMatchObject({ text: "Hello", finish: "end_turn" })
    await tollgate.close()
  })

  const tools = [
    { id: "t1", name: "depth", input: '{"river":"Nile"}' },
    { id: "t2", name: "width", input: "{}" }
  ]

  const called = (index: number, id?: string, name?: string, part?: string) => ({
    choices: [{ index: 0, delta: { tool_calls: [{ index, id, function: { name, arguments: part } }] } }]
  })

  it("has the tools of chat completions", async () => {
    const message = await reduced([
      called(0, "t1", "depth", ""),
      called(0, undefined, undefined, '{"river":'),
      called(1, "t2", "width", "{}"),
      called(0, undefined, undefined, '"Nile"}'),
      { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
      { choices: [], usage: { prompt_tokens: 5, completion_tokens: 7 } }
    ])
    expect(message).toEqual({
      text: "",
      tools,
      finish: "tool_calls",
      usage: { input: 5, output: 7, cacheRead: 0 }
    })
  })

  it("has the tools of messages", async () => {
    const block = (index: number, id: string, name: string) => ({
      type: "content_block_start",
      index,
      content_block: { type: "tool_use", id, name, input: {} }
    })
    const delta = (index: number, partial_json: string) => ({
      type: "content_block_delta",
      index,
      delta: { type: "input_json_delta", partial_json }
    })
    const message = await reduced([
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Let me see" } },
      block(1, "t1", "depth"),
      delta(1, '{"river":'),
      delta(1, '"Nile"}'),
      block(2, "t2", "width"),
      delta(2, "{}"),
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 7 } }
    ])
    expect(message).toEqual({ text: "Let me see", tools, finish: "tool_use", usage: { output: 7 } })
  })

  it("has the tools of responses and of generateContent", async () => {
    const done = ({ id, input, name }: (typeof tools)[number]) => ({
      type: "response.output_item.done",
      item: { type: "function_call", call_id: id, name, arguments: input }
    })
    expect((await reduced(tools.map(done))).tools).toEqual(tools)
    const part = ({ id, input, name }: (typeof tools)[number]) => ({
      functionCall: { id, name, args: JSON.parse(input) as unknown }
    })
    const message = await reduced([
      { candidates: [{ index: 0, content: { parts: tools.map(part) }, finishReason: "STOP" }] }
    ])
    expect(message).toMatchObject({ tools, finish: "STOP" })
  })

  it("of half a stream has what has arrived", () => {
    const message = addEvent(emptyMessage, called(0, "t1", "depth", '{"ri'))
    expect(message.tools).toMatchObject([{ id: "t1", name: "depth", input: '{"ri' }])
  })
})

const textsOf = async (events: AsyncIterable<object>) => {
  let all = ""
  for await (const event of events) all += textOf(event as Readonly<Record<string, unknown>>)
  return all
}

describe("tee", () => {
  it("gives two readers all events, whoever is faster, from one request", async () => {
    const { client: tollgate, gateway } = client()
    const [first, second] = tee(tollgate.chatCompletionsStream(input))
    expect(await textsOf(first)).toBe("Hello!")
    expect(await textsOf(second)).toBe("Hello!")
    const [third, fourth] = tee(tollgate.chatCompletionsStream(input))
    expect(await Promise.all([textsOf(third), textsOf(fourth)])).toEqual(["Hello!", "Hello!"])
    expect(gateway.calls(chatCompletionsStream)).toHaveLength(2)
    await tollgate.close()
  })

  it("leaves the stream when both have left", async () => {
    const { client: tollgate } = client()
    const stream = tollgate.chatCompletionsStream(input)
    const [first, second] = tee(stream)
    for await (const _ of first) break
    const texts: Array<string> = []
    for await (const event of second) {
      texts.push(textOf(event))
      if (texts.length === 2) break
    }
    expect(texts.join("")).toBe("Hello".slice(0, texts.join("").length))
    expect((await stream.response()).status).toBe(200)
    await tollgate.close()
  })
})

describe("a server", () => {
  it("sends a stream on as server-sent events", async () => {
    const { client: tollgate } = client()
    const response = await toResponse(tollgate.messagesStream({ ...input, max_tokens: 9 }))
    expect(response.headers.get("content-type")).toBe("text/event-stream")
    const body = await response.text()
    expect(body).toMatch(/^event: message_start\ndata: \{.*\}\n\n/)
    expect(body).toContain('"text":"lo"')
    await tollgate.close()
  })

  it("sends the error of a broken stream as the last event, and rejects with that of one that never began", async () => {
    const { client: tollgate, gateway } = client("cut")
    const body = await (await toResponse(tollgate.chatCompletionsStream(input))).text()
    expect(body.trimEnd().split("\n\n").at(-1)).toMatch(/^event: error\ndata: .*"type":"StreamTruncated"/)
    gateway.on(chatCompletionsStream, fail("over_cap"))
    await expect(toResponse(tollgate.chatCompletionsStream(input))).rejects.toMatchObject({ _tag: "OverBudget" })
    await tollgate.close()
  })

  it("leaves a stream whose caller has left", async () => {
    const { client: tollgate } = client()
    const stream = tollgate.chatCompletionsStream(input)
    const reader = toReadableStream(stream).getReader()
    await reader.read()
    await reader.cancel()
    expect((await stream.response()).cost).toMatchObject({ state: "settled" })
    await tollgate.close()
  })
})

describe("a stream that is disposed of", () => {
  it("ends", async () => {
    const { client: tollgate } = client()
    const read = async () => {
      await using stream = tollgate.chatCompletionsStream(input)
      for await (const event of stream) return [textOf(event), stream] as const
      return undefined
    }
    const [text, stream] = (await read())!
    expect(text).toBe("Hel")
    await stream.cancel()
    expect((await stream.response()).status).toBe(200)
    await tollgate.close()
  })
})
