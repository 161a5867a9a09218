import { writeFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { addressIn, folder, keyIn, removeFolders } from "../program.ts"
import { type Gateway, startGateway } from "../tollgate.ts"
import { collector } from "./collector.ts"

const upstreamKey = "up-secret-0123456789"
const collectorKey = "collector-secret-0123456789"
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const callerSpan = "00f067aa0ba902b7"
const traceparent = `00-${traceId}-${callerSpan}-01`

const answer = {
  id: "c1",
  object: "chat.completion",
  created: 1,
  model: "big-2026-01",
  choices: [{ index: 0, message: { role: "assistant", content: "Because of their banks." }, finish_reason: "stop" }],
  usage: {
    prompt_tokens: 7,
    completion_tokens: 9,
    total_tokens: 16,
    completion_tokens_details: { reasoning_tokens: 4 }
  }
}

const chunk = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", model: "big-2026-01", choices: [{ index: 0, delta, ...more }] })}\n\n`
const streamed = [
  chunk({ content: "Because" }),
  chunk({ content: " of their banks." }),
  chunk({}, { finish_reason: "stop" }),
  `data: ${JSON.stringify({ id: "c1", model: "big-2026-01", choices: [], usage: answer.usage })}\n\n`,
  "data: [DONE]\n\n"
]

/** An upstream of the protocol openai. Model `echo` fails, and repeats the credential that it got. */
const upstream = async () => {
  const heard: Array<IncomingHttpHeaders> = []
  const server = createServer((req, res) => {
    let body = ""
    req.on("data", (part) => (body += String(part)))
    req.on("end", () => {
      heard.push(req.headers)
      const { model, stream } = JSON.parse(body) as { model: string; stream?: boolean }
      if (model === "echo") {
        const error = { message: `no ${String(req.headers.authorization)} here`, type: "server_error" }
        res.writeHead(500, { "content-type": "application/json" }).end(JSON.stringify({ error }))
      } else if (stream === true) {
        res.writeHead(200, { "content-type": "text/event-stream" })
        for (const event of streamed) res.write(event)
        res.end()
      } else res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    close: () => (server.close(), server.closeAllConnections())
  }
}

let spans: Awaited<ReturnType<typeof collector>>
let models: Awaited<ReturnType<typeof upstream>>
let gateway: Gateway
let address = ""
let key = ""

beforeAll(async () => {
  spans = await collector()
  models = await upstream()
  const to = (name: string, trace: boolean) => ({
    [name]: { baseUrl: models.baseUrl, protocol: "openai", private: true, trace, credential: { env: "UP_KEY" } }
  })
  const price = { input: "1000", output: "3000" }
  const config = {
    upstreams: { ...to("trusted", true), ...to("other", false) },
    routes: [
      { operation: "chat.completions", model: "big", to: [{ upstream: "trusted" }] },
      { operation: "chat.completions", model: "small", to: [{ upstream: "other" }] },
      { operation: "chat.completions", model: "echo", to: [{ upstream: "other" }] }
    ],
    prices: { models: { big: price, small: price, echo: price } },
    sandbox: true
  }
  const file = join(folder(), "tollgate.json")
  writeFileSync(file, JSON.stringify(config))
  gateway = await startGateway({
    TOLLGATE_DATA: folder(),
    TOLLGATE_CONFIG: file,
    UP_KEY: upstreamKey,
    OTEL_EXPORTER_OTLP_ENDPOINT: spans.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${collectorKey}`,
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    OTEL_BSP_SCHEDULE_DELAY: "20"
  })
  address = addressIn(gateway.banner)
  key = keyIn(gateway.banner)
})
afterAll(async () => {
  await gateway.stop()
  spans.close()
  models.close()
  removeFolders()
})

const chat = async (model: string, headers: Record<string, string> = {}, more: object = {}) => {
  const response = await fetch(`${address}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({
      model,
      max_tokens: 20,
      temperature: 0.5,
      messages: [{ role: "user", content: "Why do rivers bend? PROMPT" }],
      ...more
    })
  })
  await response.text()
  return {
    status: response.status,
    id: response.headers.get("x-request-id") ?? "",
    cost: response.headers.get("x-tollgate-cost-micros-usd")
  }
}

const named = <A extends { readonly name: string }>(all: ReadonlyArray<A>, name: string): A => {
  const found = all.filter((span) => span.name === name)
  if (found[0] === undefined || found.length > 1)
    throw new Error(`${found.length} spans ${name} of ${all.map(({ name }) => name).join()}`)
  return found[0]
}

describe("a call", () => {
  it("has spans for the request, the ledger and the upstream, with its exact cost", async () => {
    const call = await chat("big")
    const trace = await spans.traceOf(call.id)
    // 7 × 1000 + 9 × 3000 per million, in micro-USD.
    expect(call.cost).toBe("34000")
    const server = named(trace, "POST /v1/chat/completions")
    expect(server).toMatchObject({ kind: "server", status: { code: 0 } })
    expect(server.parentSpanId).toBeUndefined()
    expect(server.attributes).toEqual({
      "tollgate.request.id": call.id,
      "tollgate.operation": "chat.completions",
      "tollgate.upstream": "trusted",
      "tollgate.outcome": "executed",
      "tollgate.cost.state": "settled",
      "tollgate.charge": 34_000n,
      "tollgate.value": 34_000n,
      "http.request.method": "POST",
      "http.route": "/v1/chat/completions",
      "url.path": "/v1/chat/completions",
      "http.response.status_code": 200n,
      "gen_ai.request.model": "big"
    })
    const client = named(trace, "chat big")
    expect(client).toMatchObject({ kind: "client", parentSpanId: server.spanId, status: { code: 0 } })
    expect(client.attributes).toEqual({
      "tollgate.upstream": "trusted",
      "http.request.method": "POST",
      "http.response.status_code": 200n,
      "server.address": "127.0.0.1",
      "server.port": BigInt(new URL(models.baseUrl).port),
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "big",
      "gen_ai.request.max_tokens": 20n,
      "gen_ai.request.temperature": 0.5,
      "gen_ai.response.model": "big-2026-01",
      "gen_ai.usage.input_tokens": 7n,
      "gen_ai.usage.output_tokens": 9n,
      "gen_ai.usage.reasoning.output_tokens": 4n
    })
    const reserve = named(trace, "ledger.reserve")
    const settle = named(trace, "ledger.settle")
    expect([reserve.parentSpanId, settle.parentSpanId]).toEqual([server.spanId, server.spanId])
    expect(reserve.attributes["tollgate.reserved"]).toBeGreaterThanOrEqual(34_000n)
    expect(settle.attributes).toMatchObject({
      "tollgate.reserved": reserve.attributes["tollgate.reserved"],
      "tollgate.charge": 34_000n,
      "tollgate.value": 34_000n,
      "tollgate.cost.state": "settled"
    })
    expect(trace).toHaveLength(4)
    expect(spans.requests[0]?.path).toBe("/v1/traces")
    expect(spans.requests[0]?.headers.authorization).toBe(`Bearer ${collectorKey}`)
    expect(spans.resources[0]).toMatchObject({
      "service.name": "tollgate",
      "deployment.environment.name": "test"
    })
  })

  it("goes on in the caller's trace, and in the trace of an upstream that the operator trusts", async () => {
    const headers = { traceparent, tracestate: "vendor=1", baggage: "user=alice" }
    const call = await chat("big", headers)
    const trace = (await spans.traceOf(call.id)).filter((span) => span.attributes["tollgate.request.id"] === call.id)
    expect(trace[0]).toMatchObject({ traceId, parentSpanId: callerSpan, traceState: "vendor=1" })
    const client = spans.spans.find((span) => span.kind === "client" && span.parentSpanId === trace[0]?.spanId)
    const heard = models.heard.at(-1)
    expect(heard?.traceparent).toBe(`00-${traceId}-${client?.spanId}-01`)
    expect(heard?.tracestate).toBe("vendor=1")
    expect(heard?.baggage).toBeUndefined()
  })

  it("tells no other upstream of the trace", async () => {
    await chat("small", { traceparent, tracestate: "vendor=1", baggage: "user=alice" })
    const heard = models.heard.at(-1)
    expect([heard?.traceparent, heard?.tracestate, heard?.baggage]).toEqual([undefined, undefined, undefined])
  })

  it("begins a trace of its own if the caller's is malformed, and none if the caller records none", async () => {
    const call = await chat("small", { traceparent: traceparent.toUpperCase() })
    const [span] = await spans.traceOf(call.id)
    expect(span?.traceId).not.toBe(traceId)
    const unrecorded = await chat("small", { traceparent: `00-${traceId}-${callerSpan}-00` })
    await spans.traceOf((await chat("small")).id)
    expect(spans.spans.some(({ attributes }) => attributes["tollgate.request.id"] === unrecorded.id)).toBe(false)
  })

  it("that is refused has its code, and is no error of the server", async () => {
    const call = await chat("big", { authorization: "Bearer tg_wrong" })
    const [span] = await spans.traceOf(call.id)
    expect(span).toMatchObject({
      name: "POST /v1/chat/completions",
      status: { code: 0 },
      attributes: {
        "http.response.status_code": 401n,
        "tollgate.error.code": "invalid_credential",
        "tollgate.outcome": "not executed"
      }
    })
  })

  it("that the upstream fails is an error, and its reservation is released", async () => {
    const call = await chat("echo")
    const trace = await spans.traceOf(call.id)
    expect(named(trace, "POST /v1/chat/completions").status).toEqual({ code: 2, message: "500" })
    expect(named(trace, "chat echo").status).toEqual({ code: 2, message: "500" })
    expect(named(trace, "ledger.release").attributes["tollgate.reserved"]).toBeGreaterThan(0n)
  })
})

it("a stream is a span until its end, with the first byte as an event", async () => {
  const call = await chat("big", {}, { stream: true })
  const trace = await spans.traceOf(call.id)
  const server = named(trace, "POST /v1/chat/completions")
  const client = named(trace, "chat big")
  expect(client.attributes).toMatchObject({
    "gen_ai.request.stream": true,
    "gen_ai.response.time_to_first_chunk": expect.any(Number)
  })
  for (const { endTimeUnixNano, events, startTimeUnixNano } of [server, client]) {
    expect(events.map(({ name }) => name)).toEqual(["first_byte"])
    expect(BigInt(events[0]?.timeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano))
    expect(BigInt(events[0]?.timeUnixNano ?? 0)).toBeLessThanOrEqual(BigInt(endTimeUnixNano))
  }
  expect(server.attributes).toMatchObject({ "tollgate.charge": 34_000n, "tollgate.cost.state": "settled" })
  expect(client.attributes).toMatchObject({
    "gen_ai.response.model": "big-2026-01",
    "gen_ai.usage.input_tokens": 7n,
    "gen_ai.usage.output_tokens": 9n,
    "gen_ai.usage.reasoning.output_tokens": 4n
  })
  const settle = named(trace, "ledger.settle")
  expect(BigInt(settle.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(client.endTimeUnixNano))
})

it("the end of a task is a span of its own, linked to the call that started it", async () => {
  const response = await fetch(`${address}/apis/v1/services/aigc/video-generation/video-synthesis`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "x-tollgate-async": "enable" },
    body: JSON.stringify({ model: "sandbox-video", input: { prompt: "a river [task 10ms]" } })
  })
  const body = (await response.json()) as { output: { task_id: string } }
  const id = response.headers.get("x-request-id") ?? ""
  const created = named(await spans.traceOf(id), "POST /apis/v1/services/aigc/video-generation/video-synthesis")
  expect(created.attributes).toMatchObject({ "tollgate.cost.state": "pending" })
  for (const part of ["ledger.begin", "POST sandbox"]) {
    expect(named(await spans.traceOf(id), part).parentSpanId).toBe(created.spanId)
  }
  const isEnd = ({ name }: { readonly name: string }) => name === "task video.create"
  while (!spans.spans.some(isEnd)) {
    await fetch(`${address}/apis/v1/services/aigc/tasks/${body.output.task_id}`, {
      headers: { authorization: `Bearer ${key}` }
    })
    await new Promise((later) => setTimeout(later, 100))
  }
  const end = await spans.waitFor(isEnd)
  expect(end.links).toMatchObject([{ traceId: created.traceId, spanId: created.spanId }])
  expect(end.traceId).not.toBe(created.traceId)
  expect(end.attributes).toMatchObject({ "tollgate.request.id": id, "tollgate.cost.state": "settled" })
  expect(end.attributes["tollgate.charge"]).toBeGreaterThan(0n)
})

it("a tool call is a span, with the calls that it makes as its parts", async () => {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {}
  }
  const use = (operation_id: string, more: object) => ({ operation_id, max_price_usd: 1, ...more })
  const response = await fetch(`${address}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "batch_use"
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "batch_use",
        arguments: {
          max_total_usd: 2,
          calls: [
            use("rerank", { arguments: { query: "q", documents: ["a", "b"] } }),
            use("chat.completions", { arguments: { model: "big", max_tokens: 20, messages: [] } })
          ]
        },
        _meta: { ...meta, traceparent: `00-${"c".repeat(32)}-${callerSpan}-01` }
      }
    })
  })
  await response.text()
  const tool = await spans.waitFor(({ name }) => name === "tools/call batch_use")
  expect(tool).toMatchObject({
    kind: "server",
    traceId: "c".repeat(32),
    parentSpanId: callerSpan,
    status: { code: 0 },
    attributes: {
      "mcp.method.name": "tools/call",
      "mcp.protocol.version": "2026-07-28",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "batch_use"
    }
  })
  const calls = spans.spans.filter(({ parentSpanId }) => parentSpanId === tool.spanId)
  expect(calls.map(({ name }) => name).sort()).toEqual(["chat.completions", "rerank"])
  const call = named(calls, "chat.completions")
  expect(call.attributes["tollgate.charge"]).toBe(34_000n)
  expect(
    spans.spans
      .filter(({ parentSpanId }) => parentSpanId === call.spanId)
      .map(({ name }) => name)
      .sort()
  ).toEqual(["chat big", "ledger.reserve", "ledger.settle"])
})

it("no credential and nothing of a body is exported, wherever it was sent", async () => {
  const query = await fetch(`${address}/v1beta/models/sandbox:generateContent?key=${key}`, {
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": `agent ${key}`, "x-api-key": key },
    body: JSON.stringify({ contents: [{ parts: [{ text: "PROMPT" }] }] })
  })
  await query.text()
  const path = await fetch(`${address}/v1/${key}?key=${key}`, { headers: { "x-goog-api-key": key } })
  const failed = await chat("echo", { traceparent, "x-api-key": key })
  await spans.traceOf((await chat(`x${key}`)).id)
  for (const id of [query, path].map(({ headers }) => headers.get("x-request-id") ?? "")) await spans.traceOf(id)
  await spans.traceOf(failed.id)
  const bytes = Buffer.concat(spans.requests.map(({ bytes }) => bytes)).toString()
  expect(bytes).toContain(failed.id)
  for (const secret of [key, upstreamKey, collectorKey, "PROMPT", "their banks"]) expect(bytes).not.toContain(secret)
})
