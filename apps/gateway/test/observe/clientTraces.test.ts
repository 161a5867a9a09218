import { context, metrics, propagation, type Span, trace } from "@opentelemetry/api"
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks"
import { W3CTraceContextPropagator } from "@opentelemetry/core"
import { UndiciInstrumentation } from "@opentelemetry/instrumentation-undici"
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader
} from "@opentelemetry/sdk-metrics"
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanProcessor,
  TracerProvider
} from "@opentelemetry/sdk-trace"
import { createClient as createFetchClient } from "@tollgate/client"
import { openTelemetry } from "@tollgate/client/opentelemetry"
import { createClient, NodeClient, rerank } from "@tollgate/node/effect"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { addressIn, folder, keyIn, removeFolders } from "../program.ts"
import { type Gateway, startGateway } from "../tollgate.ts"
import { collector } from "./collector.ts"

const exporter = new InMemorySpanExporter()
const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 3_600_000 })
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter }) as SpanProcessor] })
const manager = new AsyncLocalStorageContextManager()
const undici = new UndiciInstrumentation()

let spans: Awaited<ReturnType<typeof collector>>
let gateway: Gateway
let options: { readonly baseUrl: string; readonly credential: string }

beforeAll(async () => {
  spans = await collector()
  gateway = await startGateway({
    TOLLGATE_DATA: folder(),
    OTEL_EXPORTER_OTLP_ENDPOINT: spans.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_BSP_SCHEDULE_DELAY: "20"
  })
  options = { baseUrl: addressIn(gateway.banner), credential: keyIn(gateway.banner) }
  context.setGlobalContextManager(manager.enable())
  trace.setGlobalTracerProvider(provider)
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  undici.setTracerProvider(provider)
  undici.enable()
})
afterAll(async () => {
  undici.disable()
  trace.disable()
  metrics.disable()
  propagation.disable()
  context.disable()
  await gateway.stop()
  spans.close()
  removeFolders()
})

const inSpan = <A>(name: string, run: () => Promise<A>) =>
  trace.getTracer("program").startActiveSpan(name, async (span: Span) => {
    const result = await run()
    span.end()
    return { result, ...span.spanContext() }
  })

/** The program's own spans of a trace, without those of the request to the collector. */
const spansOf = (traceId: string, kind = "@tollgate/client"): ReadonlyArray<ReadableSpan> =>
  exporter
    .getFinishedSpans()
    .filter((span) => span.spanContext().traceId === traceId && span.instrumentationScope.name === kind)

const question = { model: "sandbox", messages: [{ role: "user", content: "Why do rivers bend?" }] } as const
const ranking = { query: "longest river", documents: ["Everest…", "The Nile is a river."] } as const

const clients = {
  "@tollgate/node": () => createClient({ ...options, observe: openTelemetry() }),
  "the client over fetch": () => createFetchClient({ ...options, observe: openTelemetry() })
}

describe.each(Object.entries(clients))("with %s", (_, make) => {
  it("one trace goes from the program's span over the client's to the gateway's", async () => {
    const client = make()
    const { result, spanId, traceId } = await inSpan("job", () => client.chatCompletions(question).withResponse())
    const [span, ...others] = spansOf(traceId)
    expect(others).toEqual([])
    expect([span?.name, span?.kind, span?.parentSpanContext?.spanId]).toEqual(["chat sandbox", 2, spanId])
    const [server] = (await spans.traceOf(result.requestId!)).filter(({ kind }) => kind === "server")
    expect([server?.traceId, server?.parentSpanId]).toEqual([traceId, span?.spanContext().spanId])
    // An instrumentation of undici is on: it made no span of its own for this request.
    expect(
      spansOf(traceId, "@opentelemetry/instrumentation-undici").map(({ attributes }) => attributes["url.path"])
    ).not.toContain("/v1/chat/completions")
    expect(span?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "sandbox",
      "gen_ai.usage.output_tokens": expect.any(Number),
      "http.response.status_code": 200,
      "tollgate.request.id": result.requestId,
      "tollgate.cost.state": "settled",
      "tollgate.charge": result.cost.micros
    })
    expect(JSON.stringify([span?.attributes, span?.events])).not.toMatch(/rivers bend|tg_/)
    await client.close()
  })

  it("a stream and calls at the same time have their own parents", async () => {
    const client = make()
    const jobs = await Promise.all(
      ["a", "b", "c"].map((name) =>
        inSpan(name, async () => {
          const answer = client.chatCompletionsStream(question)
          await answer.text()
          await client.rerank(ranking)
        })
      )
    )
    for (const { spanId, traceId } of jobs) {
      const made = spansOf(traceId)
      expect(made.map(({ name }) => name)).toEqual(["chat sandbox", "rerank"])
      expect(made.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([spanId, spanId])
      expect(made[0]?.attributes).toMatchObject({
        "gen_ai.request.stream": true,
        "gen_ai.response.time_to_first_chunk": expect.any(Number)
      })
    }
    await client.close()
  })

  it("calls one after the other are below the span in which they were made, on connections that others opened", async () => {
    const client = make()
    await Promise.all(["x", "y"].map((name) => inSpan(name, () => client.rerank(ranking))))
    const twice = async () => [await client.chatCompletions(question), await client.chatCompletions(question)]
    const loops = await Promise.all(["a", "b"].map((name) => inSpan(name, twice)))
    for (const { spanId, traceId } of loops) {
      const parents = spansOf(traceId).map(({ parentSpanContext }) => parentSpanContext?.spanId)
      expect(parents).toEqual([spanId, spanId])
    }
    await client.close()
  })
})

describe("a call", () => {
  it("that fails is an error, without its text", async () => {
    const client = createClient({ ...options, observe: openTelemetry() })
    const { traceId } = await inSpan("job", () =>
      client.chatCompletions({ ...question, model: "none" }).catch(() => {})
    )
    const [span] = spansOf(traceId)
    expect(span?.status).toEqual({ code: 2, message: "not executed" })
    expect(span?.attributes["error.type"]).toEqual(expect.any(String))
    await client.close()
  })

  it("of a program with Effect is below the span of its tracer, or below the active one if it has set none", async () => {
    const layer = NodeClient.layer({ ...options, observe: openTelemetry() })
    const call = rerank(ranking).pipe(Effect.withSpan("effect"), Effect.provide(layer))
    const { spanId, traceId } = await inSpan("job", () => Effect.runPromise(call))
    expect(spansOf(traceId).map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([spanId])
    const made: Array<Tracer.Span> = []
    const tracer = Tracer.make({
      span: (given) => {
        const span = new Tracer.NativeSpan(given)
        made.push(span)
        return span
      }
    })
    await Effect.runPromise(Effect.withTracer(call, tracer))
    expect(made).toHaveLength(1)
    const below = spansOf(made[0]!.traceId).map(({ parentSpanContext }) => parentSpanContext?.spanId)
    expect(below).toEqual([made[0]!.spanId])
  })

  it("is counted, with its cost and its tokens", async () => {
    const client = createClient({ ...options, observe: openTelemetry() })
    const { cost } = await client.chatCompletions({ ...question, model: "sandbox", max_tokens: 7 }).withResponse()
    expect(cost.micros).toBeGreaterThan(0)
    await reader.forceFlush()
    const found = new Map(
      measured
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.filter(({ scope }) => scope.name === "@tollgate/client")
        .flatMap(({ metrics }) => metrics.map((metric) => [metric.descriptor.name, metric] as const))
    )
    expect([...found.keys()].toSorted()).toEqual([
      "gen_ai.client.operation.duration",
      "gen_ai.client.token.usage",
      "tollgate.client.attempts",
      "tollgate.client.calls",
      "tollgate.client.cost_micros_usd",
      "tollgate.client.duration"
    ])
    const directions = found
      .get("gen_ai.client.token.usage")
      ?.dataPoints.map(({ attributes }) => attributes["gen_ai.token.type"])
    expect(new Set(directions)).toEqual(new Set(["input", "output"]))
    await client.close()
  })
})
