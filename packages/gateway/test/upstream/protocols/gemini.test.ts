import { describe, expect, it } from "@effect/vitest"
import { generateContent } from "@tollgate/contract/operations/generateContent"
import { streamGenerateContent } from "@tollgate/contract/operations/streamGenerateContent"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Option from "effect/Option"
import { gemini } from "../../../src/upstream/protocols/gemini.ts"
import { answerOf, exchangeOf, sent } from "./exchange.ts"

const whole = (model = "m", body = "{}") => exchangeOf(generateContent, `/v1beta/models/${model}:generateContent`, body)
const streamed = (query = "") =>
  exchangeOf(streamGenerateContent, `/v1beta/models/m:streamGenerateContent${query}`, "{}")

describe("a request in the Gemini style", () => {
  it("forwards the caller's body and none of its headers", () => {
    expect(sent(gemini, whole("m%20n", '{"model":"x","model":"y","z":1e400}'))).toEqual({
      path: "/v1beta/models/m%20n:generateContent",
      headers: {
        accept: "application/json",
        "accept-encoding": "identity",
        "content-type": "application/json",
        "x-request-id": "req_1"
      },
      body: '{"model":"x","model":"y","z":1e400}'
    })
  })

  it.each<[string, { readonly model?: string; readonly path?: string }, string]>([
    ["m", { model: "a/b ?#:$&" }, "/v1beta/models/a%2Fb%20%3F%23%3A%24%26:generateContent"],
    ["m%2Fn", { path: "/v1/{model}:predict" }, "/v1/m%2Fn:predict"],
    ["m", { path: "/v1/{model}:predict", model: "n" }, "/v1/n:predict"],
    ["m", { path: "/v1/fixed", model: "n" }, "/v1/fixed"]
  ])("puts the upstream's model name in the path: %s, %j", (model, alias, path) => {
    expect(sent(gemini, whole(model), alias).path).toBe(path)
  })

  it("asks for events if the caller does", () => {
    const { headers, path } = sent(gemini, streamed("?alt=sse"), { model: "n" })
    expect([headers["accept"], path]).toEqual(["text/event-stream", "/v1beta/models/n:streamGenerateContent?alt=sse"])
    expect(sent(gemini, streamed("?salt=sse")).headers["accept"]).toBe("application/json")
  })
})

describe("an answer in the Gemini style", () => {
  const evidence = (usage: string, text = "") =>
    Option.getOrUndefined(
      gemini.evidence(
        whole(),
        answerOf(`{"candidates":[{"content":{"parts":[{"text":"${text}"}]}}],"usageMetadata":${usage}}`)
      )
    )

  it.each<[string, object, object]>([
    [
      '{"promptTokenCount":10,"cachedContentTokenCount":4,"candidatesTokenCount":3,"thoughtsTokenCount":2,"toolUsePromptTokenCount":1}',
      { input: 7, output: 5, cacheRead: 4, cacheWrite: 0 },
      { reasoning: 2 }
    ],
    ['{"promptTokenCount":10}', { input: 10, output: 0, cacheRead: 0, cacheWrite: 0 }, {}],
    ['{"promptTokenCount":3,"cachedContentTokenCount":4}', { input: 0, output: 0, cacheRead: 3, cacheWrite: 0 }, {}]
  ])("reports its usage: %s", (reported, usage, more) => {
    expect(evidence(reported)).toEqual({ kind: "model", model: "m", usage, ...more })
  })

  // The request has no text, the answer 5 bytes.
  const counted = { input: 0, output: 2, cacheRead: 0, cacheWrite: 0 }

  it.each<[string, object]>([
    ['{"candidatesTokenCount":3}', { ...counted, output: 3 }],
    ['{"promptTokenCount":null,"candidatesTokenCount":3}', { ...counted, output: 3 }],
    ['{"promptTokenCount":9}', { ...counted, input: 9 }]
  ])("with a part of its usage is counted for the rest: %s", (reported, usage) => {
    expect(evidence(reported, "Hello")).toEqual({ kind: "model", model: "m", usage, isEstimate: true })
  })

  it.each([
    "{}",
    '{"promptTokenCount":"10"}',
    '{"promptTokenCount":-10}',
    '{"promptTokenCount":10,"candidatesTokenCount":1e308}',
    '{"promptTokenCount":10,"candidatesTokenCount":9007199254740991,"thoughtsTokenCount":1}',
    '{"promptTokenCount":9007199254740991,"toolUsePromptTokenCount":1}'
  ])("without a possible usage is counted by its text: %s", (reported) => {
    expect(evidence(reported, "Hello")).toMatchObject({ kind: "model", model: "m", usage: counted, isEstimate: true })
  })

  it("is streamed by its content type, or as an array if the caller asked for a stream", () => {
    const head = (type: string, status = 200) => ({ status, headers: { "content-type": type } })
    expect(gemini.isStreamed(streamed("?alt=sse"), head("text/event-stream"))).toBe(true)
    expect(gemini.isStreamed(streamed(), head("application/json; charset=UTF-8"))).toBe(true)
    expect(gemini.isStreamed(streamed(), head("application/json", 400))).toBe(false)
    expect(gemini.isStreamed(streamed(), head("text/html"))).toBe(false)
    expect(gemini.isStreamed(whole(), head("application/json"))).toBe(false)
  })
})

describe("a stream in the Gemini style", () => {
  const metered = (text: string) => {
    const meter = gemini.streamMeter(streamed())
    meter.push(Utf8.encode(text))
    meter.finish()
    return meter.report()
  }
  const ended = '{"candidates":[{"finishReason":"STOP"}]}'

  it("is complete when the usage after its finish reason has arrived", () => {
    const meter = gemini.streamMeter(streamed())
    meter.push(Utf8.encode(`data: ${ended}\n\n`))
    expect(meter.report()).toMatchObject({ state: "open", finished: true, usageFinal: false })
    meter.push(Utf8.encode('data: {"usageMetadata":{"promptTokenCount":1}}\n\n'))
    expect(meter.report()).toMatchObject({ state: "complete", finished: true, usageFinal: true })
  })

  it.each<[string, string]>([
    [`data: ${ended}\n\n`, "complete"],
    [`data: ${ended}\n\ndata: {"candidates":[{"groundingMetadata":{}}]}\n\n`, "complete"],
    [`data: ${ended}\n\ndata: {"candidates":[{"index":1}]}\n\n`, "open"],
    ['data: {"candidates":[{"finishReason":null}]}\n\n', "open"],
    ['data: {"candidates":[]}\n\n', "open"],
    ['data: {"candidates":[{"finishReason":"STOP"},{"index":1}]}\n\n', "open"],
    ['data: {"candidates":[{"index":1,"finishReason":"STOP"},{}]}\n\n', "open"],
    ["event: error\ndata: broken\n\n", "failed"],
    ["[]", "complete"],
    ["[", "open"],
    [" \n", "open"],
    [`${ended}\n`, "complete"],
    [`[${ended},`, "open"],
    ['[{"a":"]}"}', "open"],
    ['[{"a":"\\"}]', "open"],
    ['[{"a":"\\\\"}]', "complete"]
  ])("%j leaves the stream %s", (text, state) => {
    expect(metered(text).state).toBe(state)
  })
})
