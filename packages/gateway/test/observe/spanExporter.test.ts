import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import { type HttpClientError, HttpClientError as ClientError, TransportError } from "effect/http/HttpClientError"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { describe } from "vitest"
import { Span } from "../../src/observe/trace/Span.ts"
import * as SpanExporter from "../../src/observe/trace/SpanExporter.ts"

const options: SpanExporter.ExporterOptions = {
  url: "http://collector/v1/traces",
  headers: { authorization: "Bearer collector-secret" },
  resource: { "service.name": "tollgate" },
  queueSize: 20,
  batchSize: 5,
  intervalMillis: 1_000,
  timeoutMillis: 10_000,
  shutdownMillis: 3_000
}

type Answer = (request: HttpClientRequest) => Effect.Effect<number, HttpClientError>

/** An exporter whose collector answers as told, with the batches that it got and the warnings of the program. */
const setup = Effect.fnUntraced(function* (first: Answer) {
  let answer = first
  const batches: Array<ReadonlyArray<string>> = []
  const warnings: Array<unknown> = []
  const client = HttpClient.make((request) => {
    const body: { resourceSpans: [{ scopeSpans: [{ spans: ReadonlyArray<{ name: string }> }] }] } = JSON.parse(
      request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : "{}"
    )
    return Effect.map(answer(request), (status) => {
      if (status === 200) batches.push(body.resourceSpans[0].scopeSpans[0].spans.map(({ name }) => name))
      return HttpClientResponse.fromWeb(request, new Response("{}", { status }))
    })
  })
  const scope = yield* Scope.make()
  const logger = Logger.make<unknown, void>(({ message }) => {
    warnings.push(message)
  })
  const sink = yield* SpanExporter.make(options).pipe(
    Effect.provide(
      Layer.mergeAll(
        OtlpSerialization.layerJson,
        OtlpExporter.layerFlusher,
        Layer.succeed(HttpClient.HttpClient, client),
        Logger.layer([logger])
      )
    ),
    Effect.provideService(Scope.Scope, scope)
  )
  const push = (...names: ReadonlyArray<string>) =>
    sink.push(
      names.map((name) => {
        const span = new Span(name, "internal", 0n)
        span.end(1n)
        return span
      })
    )
  return {
    batches,
    warnings,
    push,
    dropped: sink.dropped,
    answerBy: (next: Answer) => {
      answer = next
    },
    close: Scope.close(scope, Exit.void)
  }
})

const ok: Answer = () => Effect.succeed(200)
const refuses: Answer = (request) =>
  Effect.fail(
    new ClientError({ reason: new TransportError({ request, description: "ECONNREFUSED collector-secret" }) })
  )
const never: Answer = () => Effect.never

const many = (count: number, name = "s") => Array.from({ length: count }, (_, i) => `${name}${i}`)

describe("spans on their way to the collector", () => {
  it.effect("wait a second at most, and go together", () =>
    Effect.gen(function* () {
      const { batches, push } = yield* setup(ok)
      push("a")
      push("b", "c")
      assert.lengthOf(batches, 0)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(batches, [["a", "b", "c"]])
    })
  )

  it.effect("go at once when a batch is full, in batches", () =>
    Effect.gen(function* () {
      const { batches, push } = yield* setup(ok)
      yield* TestClock.adjust(1)
      push(...many(12))
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(
        batches.map(({ length }) => length),
        [5, 5, 2]
      )
    })
  )

  it.effect("are dropped, and counted, while a collector does not answer: what waits is bounded", () =>
    Effect.gen(function* () {
      const { batches, dropped, push } = yield* setup(never)
      push(...many(5))
      yield* TestClock.adjust("1 second")
      push(...many(1_000))
      assert.strictEqual(dropped(), 1_000 - options.queueSize)
      assert.lengthOf(batches, 0)
    })
  )

  it.effect("cost one warning a minute while the collector is gone, and go again when it is back", () =>
    Effect.gen(function* () {
      const { answerBy, batches, push, warnings } = yield* setup(refuses)
      push(...many(3))
      yield* TestClock.adjust("10 seconds")
      assert.lengthOf(warnings, 1)
      for (let i = 0; i < 40; i++) {
        push(...many(10))
        yield* TestClock.adjust("1 second")
      }
      assert.lengthOf(warnings, 1)
      yield* TestClock.adjust("30 seconds")
      push("again")
      yield* TestClock.adjust("5 seconds")
      assert.lengthOf(warnings, 2)
      answerBy(ok)
      yield* TestClock.adjust("61 seconds")
      push("back")
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(batches, [["back"]])
      assert.notInclude(JSON.stringify(warnings), "collector-secret")
      assert.include(JSON.stringify(warnings), "no connection")
    })
  )

  it.effect("are not sent again if the collector refuses them", () =>
    Effect.gen(function* () {
      const { push, warnings } = yield* setup(() => Effect.succeed(401))
      push("a")
      yield* TestClock.adjust("10 seconds")
      assert.include(JSON.stringify(warnings), "status 401")
    })
  )

  it.effect("are sent at a shutdown", () =>
    Effect.gen(function* () {
      const { batches, close, push } = yield* setup(ok)
      push(...many(3))
      yield* close
      assert.deepStrictEqual(batches, [many(3)])
    })
  )

  it.effect("hold a shutdown up for a bounded time only", () =>
    Effect.gen(function* () {
      const { close, push } = yield* setup(never)
      push(...many(3))
      yield* TestClock.adjust("1 second")
      push(...many(3))
      const closing = yield* Effect.forkChild(close, { startImmediately: true })
      yield* TestClock.adjust(options.shutdownMillis - 1)
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.isDefined(closing.pollUnsafe())
    })
  )
})
