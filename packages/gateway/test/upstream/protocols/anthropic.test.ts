import { describe, expect, it } from "@effect/vitest"
import { messages } from "@tollgate/contract/operations/messages"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Option from "effect/Option"
import { anthropic } from "../../../src/upstream/protocols/anthropic.ts"
import { answerOf, exchangeOf, sent } from "./exchange.ts"

const ask = (body: string) => exchangeOf(messages, "/v1/messages", body)

describe("a request in the Anthropic style", () => {
  it("forwards the caller's body and version headers, and no credential", () => {
    const body = '{"model":"m","stream":true,"x":1e400}'
    expect(sent(anthropic, ask(body))).toEqual({
      path: "/v1/messages",
      headers: {
        accept: "text/event-stream",
        "accept-encoding": "identity",
        "anthropic-beta": "a,b",
        "anthropic-version": "2023-06-01",
        "content-type": "application/json",
        "x-request-id": "req_1"
      },
      body
    })
    expect(sent(anthropic, ask('{"stream":false}')).headers["accept"]).toBe("application/json")
  })

  it("uses the upstream's path and model name", () => {
    const { body, path } = sent(anthropic, ask('{"model":"m","n":1e400}'), { model: "n", path: "/x" })
    expect([path, body]).toEqual(["/x", '{"model":"n","n":1e400}'])
  })
})

describe("an answer in the Anthropic style", () => {
  const evidence = (usage: string) =>
    Option.getOrUndefined(
      anthropic.evidence(
        ask('{"model":"m"}'),
        answerOf(`{"content":[{"type":"text","text":"Hello"}],"usage":${usage}}`)
      )
    )

  it("reports its usage", () => {
    expect(
      evidence(
        '{"input_tokens":9,"output_tokens":8,"cache_read_input_tokens":7,"cache_creation_input_tokens":6,"service_tier":"x"}'
      )
    ).toMatchObject({ kind: "model", model: "m", usage: { input: 9, output: 8, cacheRead: 7, cacheWrite: 6 } })
    expect(evidence('{"input_tokens":9,"output_tokens":8,"cache_read_input_tokens":null}')).toEqual({
      kind: "model",
      model: "m",
      usage: { input: 9, output: 8, cacheRead: 0, cacheWrite: 0 }
    })
  })

  // The request has 6 bytes of text, the answer 5.
  const counted = { input: 2, output: 2, cacheRead: 0, cacheWrite: 0 }

  it.each<[string, object]>([
    ['{"input_tokens":9,"cache_read_input_tokens":4}', { ...counted, input: 9, cacheRead: 4 }],
    ['{"output_tokens":9}', { ...counted, output: 9 }],
    // What was read from a cache is a part of the request.
    ['{"output_tokens":9,"cache_read_input_tokens":1}', { ...counted, input: 1, output: 9, cacheRead: 1 }],
    ['{"output_tokens":9,"cache_read_input_tokens":7}', { ...counted, input: 0, output: 9, cacheRead: 7 }]
  ])("with a part of its usage is counted for the rest: %s", (reported, usage) => {
    expect(evidence(reported)).toEqual({ kind: "model", model: "m", usage, isEstimate: true })
  })

  it.each([
    "null",
    '{"input_tokens":9,"output_tokens":"8"}',
    '{"input_tokens":-9,"output_tokens":8}',
    '{"input_tokens":9,"output_tokens":8,"cache_read_input_tokens":0.5}'
  ])("without a possible usage is counted by its text: %s", (usage) => {
    expect(evidence(usage)).toMatchObject({ kind: "model", model: "m", usage: counted, isEstimate: true })
  })

  it("is streamed by its content type", () => {
    const head = (type: string, status = 200) => ({ status, headers: { "content-type": type } })
    expect(anthropic.isStreamed(ask("{}"), head("text/event-stream"))).toBe(true)
    expect(anthropic.isStreamed(ask('{"stream":true}'), head("application/json", 400))).toBe(false)
  })
})

describe("a stream in the Anthropic style", () => {
  const metered = (text: string) => {
    const meter = anthropic.streamMeter(ask("{}"))
    meter.push(Utf8.encode(text))
    meter.finish()
    return meter.report()
  }

  it("reports its output without the input count of its first event", () => {
    expect(metered('data: {"type":"message_delta","usage":{"output_tokens":15}}\n\n').usage).toEqual({ output: 15 })
  })

  it("does not report the placeholder of its first event as its output", () => {
    const start = 'data: {"type":"message_start","message":{"usage":{"input_tokens":2,"output_tokens":1}}}\n\n'
    expect(metered(start).usage).toEqual({ input: 2, output: 1 })
    expect(metered(`${start}data: {"type":"message_stop"}\n\n`).usage).toEqual({ input: 2 })
  })

  it("is finished with its stop reason", () => {
    const delta = (reason: string) => `data: {"type":"message_delta","delta":{"stop_reason":${reason}}}\n\n`
    expect(metered(delta("null"))).toMatchObject({ finished: false })
    expect(metered(delta('"end_turn"'))).toMatchObject({ state: "open", finished: true, usageFinal: false })
  })

  it("ignores a later report with an invalid count", () => {
    const start = 'data: {"type":"message_start","message":{"usage":{"input_tokens":2,"output_tokens":1}}}\n\n'
    const bad = 'data: {"type":"message_delta","usage":{"output_tokens":9,"input_tokens":-1}}\n\n'
    expect(metered(start + bad).usage).toEqual({ input: 2, output: 1 })
  })

  it.each<[string, string]>([
    ['data: {"type":"message_stop"}\n\n', "complete"],
    ['data: {"type":"message_stop"', "open"],
    ['data: {"x":{"type":"message_stop"}}\n\n', "open"],
    ['data: {"type":"error","error":{}}\n\n', "failed"],
    ["event: error\ndata: broken\n\n", "failed"],
    ['data: {"type":"error"}\n\ndata: {"type":"message_stop"}\n\n', "failed"]
  ])("%j leaves the stream %s", (text, state) => {
    expect(metered(text).state).toBe(state)
  })
})
