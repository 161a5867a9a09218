import { describe, expect, it } from "@effect/vitest"
import { usd } from "@tollgate/contract/Money"
import { chatCompletions } from "@tollgate/contract/operations/chatCompletions"
import { deepResearch } from "@tollgate/contract/operations/deepResearch"
import { imageGenerate } from "@tollgate/contract/operations/imageGenerate"
import { modelList } from "@tollgate/contract/operations/modelList"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Option from "effect/Option"
import { openai } from "../../../src/upstream/protocols/openai.ts"
import { answerOf, exchangeOf, sent } from "./exchange.ts"
import { chunk } from "./streams.ts"

const chat = (body: string, query = "") => exchangeOf(chatCompletions, `/v1/chat/completions${query}`, body)
const odd = '{ "mod\\u0065l":"m", "seed":12345678901234567890, "x":1e400, "a":1, "a":2 }'

describe("a request in the OpenAI style", () => {
  it("forwards the caller's body byte for byte, and no credential", () => {
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

  it("uses the upstream's path and model name", () => {
    const { body, path } = sent(openai, chat(odd), { model: 'up/"m"', path: "/openai/chat" })
    expect([path, body]).toEqual(["/openai/chat", odd.replace('"m"', '"up/\\"m\\""')])
  })

  it("names one model if the caller of a free operation names two", () => {
    const exchange = chat('{"model":"expensive","model":"cheap"}')
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
  ])("requests the usage of a stream: %s", (before, after) => {
    const { body, headers } = sent(openai, chat(before))
    expect([body, headers["accept"]]).toEqual([after, "text/event-stream"])
  })

  it.each(['{"stream":true,"stream_options":{"include_usage":true}}', '{"stream":false}', '{"stream":"true"}', "{}"])(
    "does not request usage that is not needed: %s",
    (body) => {
      const exchange = chat(body)
      expect(openai.request(exchange, {}).body).toBe(exchange.bytes)
    }
  )

  it("does not request usage for other prices, and sends no body for a GET", () => {
    const image = exchangeOf(imageGenerate, "/v1/bound", '{"stream":true}')
    expect(openai.request(image, {}).body).toBe(image.bytes)
    const { body, headers } = sent(openai, exchangeOf(modelList, "/v1/models"), { model: "m" })
    expect([body, headers["content-type"]]).toEqual([undefined, undefined])
  })
})

describe("an answer in the OpenAI style", () => {
  const evidence = (usage: string, status = 200) =>
    Option.getOrUndefined(
      openai.evidence(
        chat('{"model":"m"}'),
        answerOf(`{"model":"other","choices":[{"message":{"content":"Hi, you"}}],"usage":${usage}}`, status)
      )
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
  ])("reports its usage under the caller's model name: %s", (reported, usage) => {
    expect(evidence(reported)).toEqual({ kind: "model", model: "m", served: "other", usage })
  })

  // The request has 6 bytes of text, the answer 7.
  const counted = { input: 2, output: 2, cacheRead: 0, cacheWrite: 0 }

  it.each<[string, object]>([
    ['{"prompt_tokens":20}', { ...counted, input: 20 }],
    ['{"prompt_tokens":20,"completion_tokens":null}', { ...counted, input: 20 }],
    ['{"completion_tokens":20}', { ...counted, output: 20 }]
  ])("with a part of its usage is counted for the rest: %s", (reported, usage) => {
    expect(evidence(reported)).toEqual({ kind: "model", model: "m", served: "other", usage, isEstimate: true })
  })

  it("counts at least the reasoning that is reported", () => {
    const reported = '{"prompt_tokens":2,"completion_tokens":5,"completion_tokens_details":{"reasoning_tokens":300}}'
    expect(evidence(reported)).toMatchObject({ usage: { output: 300 } })
  })

  it.each([
    "null",
    "[]",
    "{}",
    '{"prompt_tokens":"20","completion_tokens":9}',
    '{"prompt_tokens":-1,"completion_tokens":9}',
    '{"prompt_tokens":1.5,"completion_tokens":9}',
    '{"prompt_tokens":1e308,"completion_tokens":9}',
    '{"prompt_tokens":1,"completion_tokens":1e400}',
    '{"prompt_tokens":1,"completion_tokens":9007199254740992}',
    '{"prompt_tokens":1,"completion_tokens":1000000001}',
    '{"prompt_tokens":1,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":-1}}',
    '{"__proto__":{"prompt_tokens":1,"completion_tokens":2}}'
  ])("without a possible usage is counted by its text: %s", (reported) => {
    expect(evidence(reported)).toMatchObject({ kind: "model", model: "m", usage: counted, isEstimate: true })
  })

  it("counts every kind of generated text", () => {
    const message = JSON.stringify({
      content: [{ type: "text", text: "abcd" }],
      reasoning: "12345678",
      reasoning_content: "12345678",
      tool_calls: [{ function: { name: "f", arguments: "{ab}" } }]
    })
    const answer = answerOf(`{"choices":[{"message":${message}},{"text":"wxyz"}]}`)
    expect(Option.getOrUndefined(openai.evidence(chat('{"model":"m"}'), answer))).toMatchObject({
      usage: { output: 1 + 2 + 1 + 1 }
    })
  })

  it("proves nothing if the call failed or named no model", () => {
    const reported = '{"prompt_tokens":20,"completion_tokens":9}'
    expect(evidence(reported, 500)).toBe(undefined)
    expect(openai.evidence(chat("{}"), answerOf(`{"choices":[],"usage":${reported}}`))).toEqual(Option.none())
  })

  it("proves a request for a price per request", () => {
    const price = { contract: "per_request", amount: usd("1") } as const
    const exchange = { ...exchangeOf(deepResearch, "/v1/bound", "{}"), price }
    const answer = answerOf('{"choices":[{"message":{}}]}')
    expect(openai.evidence(exchange, answer)).toEqual(Option.some({ kind: "request" }))
    expect(openai.evidence(exchange, answerOf("{}"))).toEqual(Option.none())
  })

  it.each<[number, string | undefined, boolean]>([
    [200, "text/event-stream", true],
    [201, "Text/Event-Stream; charset=utf-8", true],
    [200, "application/json", false],
    [200, "text/event-streams", false],
    [200, undefined, false],
    [500, "text/event-stream", false]
  ])("with status %s and content type %s is streamed: %s", (status, type, expected) => {
    const headers = type === undefined ? {} : { "content-type": type }
    expect(openai.isStreamed(chat('{"stream":true}'), { status, headers })).toBe(expected)
  })
})

describe("a stream whose usage the gateway requested", () => {
  const metered = (text: string) => {
    const meter = openai.streamMeter(chat('{"model":"m","stream":true}'))
    const forwarded = Utf8.decode(meter.push(Utf8.encode(text))) + Utf8.decode(meter.finish())
    return { forwarded, ...meter.report() }
  }
  const used = '"usage":{"prompt_tokens":2,"completion_tokens":1}'
  const usage = { input: 2, output: 1, cacheRead: 0, cacheWrite: 0 }

  it.each<[string, string, string]>([
    ["an event of its own", `data: ${chunk("[]", `,${used}`)}\n\n`, ""],
    ["choices with white space", `data: ${chunk("[ ]", `,${used}`)}\n\n`, ""],
    ["an event without an end", `data: ${chunk("[]", `,${used}`)}`, ""],
    ["an event before others", `data: {"choices":[],${used}}\r\n\r\ndata: [DONE]\r\n\r\n`, "data: [DONE]\r\n\r\n"],
    ["choices of another type", `data: {"choices":"]",${used}}\n\n`, 'data: {"choices":"]"}\n\n'],
    ["an event without choices", `event: x\ndata:{${used},"id":1}\nid: 7\n\n`, 'event: x\ndata:{"id":1}\nid: 7\n\n']
  ])("does not show the report: %s", (_, before, after) => {
    expect(metered(before)).toMatchObject({ forwarded: after, usage })
  })

  it("still shows a report that is split over two lines", () => {
    const text = `data: {"id":1,\ndata: ${used}}\n\n`
    expect(metered(text)).toMatchObject({ forwarded: text, usage })
  })

  it("keeps empty choices without usage, and usage inside the text", () => {
    const text = `data: {"choices":[],"usages":1}\n\ndata: {"choices":[{"delta":{"content":"\\"usage\\":null"}}]}\n\n`
    expect(metered(text)).toMatchObject({ forwarded: text, state: "open", usage: undefined, textBytes: 12 })
  })

  it.each<[string, string, object]>([
    ["before it", chunk('[{"delta":{"content":"x"},"finish_reason":null}]'), { finished: false }],
    ["with it", chunk('[{"delta":{},"finish_reason":"stop"}]'), { finished: true, usageFinal: false }],
    ["of a higher index", chunk('[{"delta":{},"finish_reason":"stop","index":1e300}]'), { finished: true }],
    [
      "and its usage",
      chunk('[{"delta":{},"finish_reason":"stop"}]', `,${used}`),
      { state: "complete", finished: true, usageFinal: true }
    ]
  ])("tells when the finish reason has arrived: %s", (_, data, report) => {
    expect(metered(`data: ${data}\n\n`)).toMatchObject({ state: "open", started: true, ...report })
  })

  it("is finished when each of several choices is", () => {
    const meter = openai.streamMeter(chat('{"model":"m","stream":true,"n":2}'))
    const finish = (index: number) =>
      meter.push(Utf8.encode(`data: {"choices":[{"index":${index},"finish_reason":"stop"}]}\n\n`))
    const seen = [0, 0, 1].map((index) => (finish(index), meter.report().finished))
    expect(seen).toEqual([false, false, true])
  })

  it("keeps the last valid report", () => {
    const bad = 'data: {"choices":[],"usage":{"prompt_tokens":-2,"completion_tokens":1}}\n\n'
    expect(metered(`data: {"choices":[],${used}}\n\n${bad}`)).toMatchObject({ forwarded: "", usage })
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
  ])("%j leaves the stream %s", (text, state) => {
    expect(metered(text).state).toBe(state)
  })

  it("shows an error that comes with the report", () => {
    expect(metered(`data: {"error":{},"choices":[],${used}}\n\n`).forwarded).toBe('data: {"error":{},"choices":[]}\n\n')
  })
})
