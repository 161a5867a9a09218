import { describe, expect, it } from "@effect/vitest"
import { usd } from "@tollgate/contract/Money"
import { chatCompletions } from "@tollgate/contract/operations/chatCompletions"
import { deepResearch } from "@tollgate/contract/operations/deepResearch"
import { imageGenerate } from "@tollgate/contract/operations/imageGenerate"
import { modelList } from "@tollgate/contract/operations/modelList"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Option from "effect/Option"
import { openai } from "../../src/upstream/protocols/openai.ts"
import { answerOf, exchangeOf, sent } from "./exchange.ts"
import { chunk } from "./streams.ts"

const chat = (body: string, query = "") => exchangeOf(chatCompletions, `/v1/chat/completions${query}`, body)
const odd = '{ "mod\\u0065l":"m", "seed":12345678901234567890, "x":1e400, "a":1, "a":2 }'

describe("a request in the OpenAI style", () => {
  it("is the caller's, byte for byte, with none of its credentials", () => {
    expect(sent(openai, chat(odd, "?a=%41"))).toEqual({
      path: "/v1/chat/completions?a=%41",
      headers: {
        accept: "application/json",
        "accept-encoding": "identity",
        "content-type": "application/json",
        "openai-beta": "assistants=v2",
        "x-request-id": "req_1"
      },
      body: odd
    })
  })

  it("names path and model as the upstream does", () => {
    const { body, path } = sent(openai, chat(odd), { model: 'up/"m"', path: "/openai/chat" })
    expect([path, body]).toEqual(["/openai/chat", odd.replace('"m"', '"up/\\"m\\""')])
  })

  it("names one model, if the caller of a free operation names two", () => {
    const exchange = chat('{"model":"dear","model":"cheap"}')
    const free = { ...exchange, operation: { ...exchange.operation, price: { contract: "free" as const } } }
    expect(sent(openai, free).body).toBe('{"model":"cheap","model":"cheap"}')
  })

  it.each<[string, string]>([
    ['{"model":"m","stream":true}', '{"model":"m","stream":true,"stream_options":{"include_usage":true}}'],
    ['{"stream":true,"stream_options":null}', '{"stream":true,"stream_options":{"include_usage":true}}'],
    ['{"stream":true,"stream_options":{}}', '{"stream":true,"stream_options":{"include_usage":true}}'],
    [
      '{"stream_options":{"include_usage":false, "x":[1e400]},"stream":true}',
      '{"stream_options":{"include_usage":true, "x":[1e400]},"stream":true}'
    ]
  ])("asks what a stream has used: %s", (before, after) => {
    const { body, headers } = sent(openai, chat(before))
    expect([body, headers["accept"]]).toEqual([after, "text/event-stream"])
  })

  it.each(['{"stream":true,"stream_options":{"include_usage":true}}', '{"stream":false}', '{"stream":"true"}', "{}"])(
    "asks for nothing where that is not needed: %s",
    (body) => {
      const exchange = chat(body)
      expect(openai.request(exchange, {}).body).toBe(exchange.bytes)
    }
  )

  it("asks for nothing where usage is not what is paid for, and sends no body where there is none", () => {
    const image = exchangeOf(imageGenerate, "/v1/bound", '{"stream":true}')
    expect(openai.request(image, {}).body).toBe(image.bytes)
    const { body, headers } = sent(openai, exchangeOf(modelList, "/v1/models"), { model: "m" })
    expect([body, headers["content-type"]]).toEqual([undefined, undefined])
  })
})

describe("an answer in the OpenAI style", () => {
  const evidence = (usage: string, status = 200) =>
    Option.getOrUndefined(
      openai.evidence(chat('{"model":"m"}'), answerOf(`{"model":"other","usage":${usage}}`, status))
    )

  it.each<[string, object]>([
    ['{"prompt_tokens":20,"completion_tokens":9}', { input: 20, output: 9, cacheRead: 0, cacheWrite: 0 }],
    [
      '{"prompt_tokens":20,"completion_tokens":9,"prompt_tokens_details":{"cached_tokens":5}}',
      { input: 15, output: 9, cacheRead: 5, cacheWrite: 0 }
    ],
    [
      '{"prompt_tokens":2,"completion_tokens":0,"prompt_tokens_details":{"cached_tokens":5}}',
      { input: 0, output: 0, cacheRead: 2, cacheWrite: 0 }
    ],
    [
      '{"prompt_tokens":2,"completion_tokens":1,"prompt_tokens_details":null}',
      { input: 2, output: 1, cacheRead: 0, cacheWrite: 0 }
    ]
  ])("proves what it used, for the model that was asked for: %s", (said, usage) => {
    expect(evidence(said)).toEqual({ kind: "model", model: "m", usage })
  })

  it.each([
    "null",
    "[]",
    "{}",
    '{"prompt_tokens":20}',
    '{"completion_tokens":20}',
    '{"prompt_tokens":"20","completion_tokens":9}',
    '{"prompt_tokens":-1,"completion_tokens":9}',
    '{"prompt_tokens":1.5,"completion_tokens":9}',
    '{"prompt_tokens":1e308,"completion_tokens":9}',
    '{"prompt_tokens":1,"completion_tokens":1e400}',
    '{"prompt_tokens":1,"completion_tokens":9007199254740992}',
    '{"prompt_tokens":1,"completion_tokens":NaN}',
    '{"prompt_tokens":1,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":-1}}',
    '{"__proto__":{"prompt_tokens":1,"completion_tokens":2}}'
  ])("proves nothing: %s", (said) => {
    expect(evidence(said)).toBe(undefined)
  })

  it("proves nothing where it failed, or no model is known", () => {
    const said = '{"prompt_tokens":20,"completion_tokens":9}'
    expect(evidence(said, 500)).toBe(undefined)
    expect(openai.evidence(chat("{}"), answerOf(`{"usage":${said}}`))).toEqual(Option.none())
  })

  it("proves what another price asks for", () => {
    const price = { contract: "per_request", amount: usd("1") } as const
    const exchange = { ...exchangeOf(deepResearch, "/v1/bound", "{}"), price }
    expect(openai.evidence(exchange, answerOf("{}"))).toEqual(Option.some({ kind: "request" }))
  })

  it.each<[number, string | undefined, boolean]>([
    [200, "text/event-stream", true],
    [201, "Text/Event-Stream; charset=utf-8", true],
    [200, "application/json", false],
    [200, "text/event-streams", false],
    [200, undefined, false],
    [500, "text/event-stream", false]
  ])("with %s and %s is a stream: %s", (status, type, expected) => {
    const headers = type === undefined ? {} : { "content-type": type }
    expect(openai.isStreamed(chat('{"stream":true}'), { status, headers })).toBe(expected)
  })
})

describe("a stream for whose usage the gateway asked", () => {
  const watched = (text: string) => {
    const watch = openai.watch(chat('{"model":"m","stream":true}'))
    const passed = Utf8.decode(watch.pass(Utf8.encode(text))) + Utf8.decode(watch.finish())
    return { passed, ...watch.seen() }
  }
  const used = '"usage":{"prompt_tokens":2,"completion_tokens":1}'
  const usage = { input: 2, output: 1, cacheRead: 0, cacheWrite: 0 }

  it.each<[string, string, string]>([
    ["says nothing else", `data: ${chunk("[]", `,${used}`)}\n\n`, ""],
    ["has a blank choice", `data: ${chunk("[ ]", `,${used}`)}\n\n`, ""],
    ["is the end of the stream", `data: ${chunk("[]", `,${used}`)}`, ""],
    ["has other events after it", `data: {"choices":[],${used}}\r\n\r\ndata: [DONE]\r\n\r\n`, "data: [DONE]\r\n\r\n"],
    ["has choices that are none", `data: {"choices":"]",${used}}\n\n`, 'data: {"choices":"]"}\n\n'],
    ["says no choices", `event: x\ndata:{${used},"id":1}\nid: 7\n\n`, 'event: x\ndata:{"id":1}\nid: 7\n\n'],
    ["is of one line too many", `data: {"id":1,\ndata: ${used}}\n\n`, `data: {"id":1,\ndata: ${used}}\n\n`]
  ])("loses the report where it %s", (_, before, after) => {
    expect(watched(before)).toMatchObject({ passed: after, usage })
  })

  it("keeps a choice of no text, and a report in the text", () => {
    const text = `data: {"choices":[],"usages":1}\n\ndata: {"choices":[{"delta":{"content":"\\"usage\\":null"}}]}\n\n`
    expect(watched(text)).toEqual({ passed: text, end: "open", usage: undefined, textBytes: 12 })
  })

  it("keeps the last report that can be true", () => {
    const bad = 'data: {"choices":[],"usage":{"prompt_tokens":-2,"completion_tokens":1}}\n\n'
    expect(watched(`data: {"choices":[],${used}}\n\n${bad}`)).toMatchObject({ passed: "", usage })
  })

  it.each<[string, string]>([
    ["data: [DONE]\n\n", "complete"],
    ["data:[DONE]", "complete"],
    ["data: [DONE] x\n\n", "open"],
    ['data: "[DONE]"\n\n', "open"],
    ['data: {"error":null}\n\n', "open"],
    ['data: {"error":""}\n\n', "open"],
    ['data: {"error":"broken"}\n\n', "failed"],
    ['data: {"error":{}}\n\ndata: [DONE]\n\n', "failed"],
    ["event: error\ndata: broken\n\n", "failed"],
    ['data: {"choices":[{"error":{}}]}\n\n', "open"],
    [`data: {"error":{},"choices":[],${used}}\n\n`, "failed"]
  ])("ends: %j is %s", (text, end) => {
    expect(watched(text).end).toBe(end)
  })

  it("shows an error that comes with the report", () => {
    expect(watched(`data: {"error":{},"choices":[],${used}}\n\n`).passed).toBe('data: {"error":{},"choices":[]}\n\n')
  })
})
