import { describe, expect, it } from "@effect/vitest"
import { responses as operation } from "@tollgate/contract/operations/responses"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Option from "effect/Option"
import { protocolFor } from "../../../src/upstream/Endpoint.ts"
import { openai as protocol } from "../../../src/upstream/protocols/openai.ts"
import { answerOf, exchangeOf, sent } from "./exchange.ts"
import { event, response, usage, used } from "./responsesStreams.ts"

const openai = protocolFor(protocol, operation.id)

const exchange = (body: string) => exchangeOf(operation, "/v1/responses", body)

describe("a request for a response", () => {
  it.each<[string, string]>([
    ['{"model":"m","input":"Hi"}', '{"store":false,"model":"m","input":"Hi"}'],
    ['{"model":"m","store":null}', '{"model":"m","store":false}'],
    ['{"model":"m", "store":false}', '{"model":"m", "store":false}']
  ])("is not stored upstream: %s", (before, after) => {
    const { body, headers } = sent(openai, exchange(before))
    expect(JSON.parse(body ?? "")).toEqual(JSON.parse(after))
    expect(headers).toEqual({
      accept: "application/json",
      "accept-encoding": "identity",
      "content-type": "application/json",
      "openai-beta": "assistants=v2",
      "x-request-id": "req_1"
    })
  })

  it("uses the upstream's path and model name, and asks for no usage", () => {
    const streamed = exchange('{"model":"m","store":false,"stream":true}')
    const { body, headers, path } = sent(openai, streamed, { model: "up", path: "/openai/responses" })
    expect([path, body, headers["accept"]]).toEqual([
      "/openai/responses",
      '{"model":"up","store":false,"stream":true}',
      "text/event-stream"
    ])
  })
})

describe("a whole response", () => {
  const message = { type: "message", content: [{ type: "output_text", text: "Hi, you" }] }
  const evidence = (more: object, status = 200) =>
    Option.getOrUndefined(
      openai.evidence(
        exchange('{"model":"m"}'),
        answerOf(JSON.stringify({ output: [message], error: null, ...more }), status)
      )
    )
  // The request has 6 bytes of text, the answer 7.
  const counted = { input: 2, output: 2, cacheRead: 0, cacheWrite: 0 }

  it("reports its usage under the caller's model name", () => {
    expect(evidence({ model: "other", usage: used })).toEqual({
      kind: "model",
      model: "m",
      served: "other",
      reasoning: 4,
      usage
    })
  })

  it("counts at least the reasoning that is reported, and no more of a cache than the input", () => {
    const odd = {
      input_tokens: 4,
      output_tokens: 1,
      input_tokens_details: { cached_tokens: 3, cache_write_tokens: 9 },
      output_tokens_details: { reasoning_tokens: 300 }
    }
    expect(evidence({ usage: odd })).toMatchObject({ usage: { input: 0, output: 300, cacheRead: 3, cacheWrite: 1 } })
  })

  it.each<[string, object]>([
    ["none", {}],
    ["null", { usage: null }],
    ["a negative count", { usage: { ...used, output_tokens: -1 } }],
    ["a fraction", { usage: { ...used, input_tokens: 1.5 } }],
    ["more than is possible", { usage: { ...used, output_tokens: 1_000_000_001 } }],
    ["text", { usage: { input_tokens: "20", output_tokens: 9 } }]
  ])("without a possible usage is counted by its text: %s", (_, more) => {
    expect(evidence(more)).toMatchObject({ kind: "model", model: "m", usage: counted, isEstimate: true })
  })

  it.each<[string, object, number?]>([
    ["it failed", { status: "failed", error: { code: "server_error", message: "overloaded" }, usage: used }],
    ["the upstream refused it", { usage: used }, 500],
    ["it has no output", { output: undefined, usage: used }],
    ["its output is none", { output: [1], usage: used }]
  ])("costs nothing if %s", (_, more, status) => {
    expect(evidence(more, status)).toBe(undefined)
  })
})

describe("a stream of a response", () => {
  const metered = (text: string, eventBytes?: number) => {
    const meter = openai.streamMeter(exchange('{"model":"m","stream":true}'), eventBytes)
    const forwarded = Utf8.decode(meter.push(Utf8.encode(text))) + Utf8.decode(meter.finish())
    return { forwarded, meter, ...meter.report() }
  }
  const completed = `data: ${JSON.stringify({ type: "response.completed", ...response("completed", { usage: used }) })}\n\n`

  it.each<[string, string]>([
    [completed, "complete"],
    [`${completed}data: [DONE]\n\n`, "complete"],
    ["data: [DONE]\n\n", "open"],
    ["event: response.completed\ndata: {}\n\n", "open"],
    ['data: {"type":["response.completed"]}\n\n', "open"],
    ['data: {"type":"response.completed"\n\n', "open"],
    ['data: {"response":{"type":"response.completed"}}\n\n', "open"],
    ['data: {"type":"response.failed","response":{}}\n\n', "failed"],
    ['data: {"type":"error","error":{"message":"x"}}\n\n', "failed"],
    ['data: {"error":{"message":"x"}}\n\n', "failed"],
    ["event: error\ndata: broken\n\n", "failed"],
    [`event: error\ndata: {}\n\n${completed}`, "failed"]
  ])("%j leaves it %s", (text, state) => {
    expect(metered(text).state).toBe(state)
  })

  it("reports the last event's usage, and none that is impossible", () => {
    const early = event("response.in_progress", response("in_progress", { usage: { ...used, output_tokens: 1 } }))
    expect(metered(early)).toMatchObject({ usage: { ...usage, output: 4 }, usageFinal: false })
    expect(metered(early + completed)).toMatchObject({ usage, usageFinal: true })
    const lies = event("response.completed", response("completed", { usage: { ...used, input_tokens: -1 } }))
    expect(metered(lies)).toMatchObject({ state: "complete", usage: undefined, usageFinal: false })
  })

  it("forwards nothing of an event that is too large", () => {
    const small = event("response.in_progress", response("in_progress"))
    const { forwarded, meter } = metered(small + event("response.output_text.delta", { delta: "x".repeat(1_000) }), 500)
    expect([forwarded, meter.isTooLarge()]).toEqual([small, true])
  })

  it("that breaks ends with an error that has the next number", () => {
    const { meter } = metered(
      'data: {"type":"response.created","sequence_number":0}\n\ndata: {"type":"x","sequence_number":7}\n\n'
    )
    expect(meter.errorEvent?.({ code: "upstream_failed", message: "It broke.", requestId: "req_1" })).toEqual({
      type: "error",
      code: "upstream_failed",
      message: "It broke.",
      param: null,
      sequence_number: 8,
      request_id: "req_1"
    })
  })
})
