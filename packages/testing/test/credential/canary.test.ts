import { describe, expect, it } from "@effect/vitest"
import { rerank } from "@tollgate/client"
import * as Names from "@tollgate/contract/Names"
import { usd } from "@tollgate/contract/Money"
import * as Operations from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { rerank as rerankOperation } from "@tollgate/contract/operations/rerank"
import { Redaction } from "@tollgate/gateway"
import { NodeClient } from "@tollgate/node/effect"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"
import { vi } from "vitest"
import { ask, type Answer } from "@tollgate/testing/ask"
import { closedPort, httpUpstream, providerAt, tcpUpstream } from "@tollgate/testing/upstream"

const canary = "C4NARY-5d1f9e"

let armed = false

/** Fails like a bug: the message quotes the request, with lines that look like a stack trace. */
const faulty = Operations.make({
  ...rerankOperation,
  id: "faulty",
  path: "/v1/faulty",
  price: {
    get contract() {
      if (armed) throw new TypeError(`cannot read\n    at ${canary} (file.ts:1:1)\n`)
      return "free" as const
    }
  }
})

const all = [
  ...operations.map((operation): Operations.Operation =>
    operation.price.contract === "model_tokens"
      ? { ...operation, price: { contract: "per_request", amount: usd("0.001") } }
      : operation
  ),
  faulty
]

/** Captures everything that the program writes while the effect runs. */
const watched = Effect.fnUntraced(function* <A, E>(effect: Effect.Effect<A, E>) {
  const written: Array<string> = []
  const keep = (chunk: unknown) => (written.push(typeof chunk === "string" ? chunk : inspect(chunk)), true)
  const spies = [
    vi.spyOn(process.stdout, "write").mockImplementation(keep),
    vi.spyOn(process.stderr, "write").mockImplementation(keep),
    ...(["log", "info", "warn", "error", "debug", "trace"] as const).map((level) =>
      vi
        .spyOn(console, level)
        .mockImplementation((...args: Array<unknown>) => void keep(args.map((arg) => inspect(arg)).join(" ")))
    )
  ]
  yield* effect.pipe(Effect.ensuring(Effect.sync(() => spies.forEach((spy) => spy.mockRestore()))))
  return written.join("\n")
})

const logged = () => {
  const lines: Array<string> = []
  const capture = Logger.make((options) => {
    lines.push(JSON.stringify(Logger.formatStructured.log(options)))
    lines.push(inspect(options.message, { depth: 10 }), inspect(options.cause, { depth: 10 }))
    lines.push(Logger.formatLogFmt.log(options))
  })
  return { lines, layer: Logger.layer([capture]) }
}

const places = (authorization: string): Record<string, string> => ({
  authorization,
  "x-api-key": canary,
  "x-goog-api-key": canary,
  cookie: `a=${canary}`,
  "proxy-authorization": `Basic ${canary}`,
  referer: `http://${canary}.invalid/`,
  "user-agent": canary,
  "x-custom": canary,
  "x-request-id": canary,
  "idempotency-key": canary,
  traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01`
})

describe("a secret in any place of a request", () => {
  it.live("appears in no log line, on no output and in no upstream request, however the request ends", () =>
    Effect.gen(function* () {
      const good = yield* httpUpstream((res, { body }) =>
        body.includes("as 500")
          ? void res.writeHead(500, { "content-type": "application/json" }).end(`{"error":"${canary}"}`)
          : void res
              .setHeader("content-type", "application/json")
              .end('{"results":[],"candidates":[{"content":{"parts":[{"text":"Hi"}]}}]}')
      )
      const cut = yield* tcpUpstream((socket) => socket.once("data", () => socket.end()))
      const { layer: logger, lines } = logged()
      const providers = {
        rerank: providerAt(good.port),
        messages: providerAt(cut.port),
        "models.generate_content": providerAt(good.port),
        "models.stream_generate_content": providerAt(yield* closedPort),
        "reseller.social_b.user_stories": providerAt(good.port)
      }
      const host = Host.layerNode.pipe(
        Layer.provideMerge(TestGateway.layer({ providers, operations: all })),
        Layer.provide(logger)
      )
      const ours = places(`Bearer ${key}`)
      const query = `?key=${canary}`
      const body = (extra: object = {}) => JSON.stringify({ query: "q", documents: ["d"], ...extra })
      const statuses: Array<number> = []
      const note = (answer: Answer) => Effect.sync(() => statuses.push(answer.status))
      const output = yield* watched(
        Effect.gen(function* () {
          yield* Effect.flatMap(ask("POST", "/v1/rerank", ours, `{"query":"${canary}`), note)
          yield* Effect.flatMap(ask("POST", "/v1/rerank", ours, body({ top_n: canary })), note)
          yield* Effect.flatMap(ask("POST", "/v1/rerank", places(`Bearer ${canary}`), body()), note)
          yield* Effect.flatMap(ask("POST", `/v1beta/models/m:generateContent${query}`, {}, body()), note)
          yield* Effect.flatMap(ask("GET", `/v1/${canary}${query}`, ours), note)
          yield* Effect.flatMap(ask("POST", "/v1/rerank", ours, body({ fill: canary.repeat(10_000) })), note)
          armed = true
          yield* Effect.flatMap(ask("POST", "/v1/faulty", ours, body({ secret: canary })), note)
          armed = false
          yield* Effect.flatMap(ask("POST", "/v1/rerank", ours, body({ as: "as 500" })), note)
          yield* Effect.flatMap(ask("POST", "/v1/messages", ours, body()), note)
          yield* Effect.flatMap(ask("POST", "/v1beta/models/m:streamGenerateContent", ours, body()), note)
          yield* Effect.flatMap(ask("POST", "/v1/rerank", ours, body({ query: "mine" })), note)
          yield* Effect.flatMap(ask("POST", `/v1beta/models/m:generateContent${query}`, ours, body()), note)
          yield* Effect.flatMap(
            ask("POST", "/v1/rerank", { ...ours, "x-tollgate-max-price-usd": canary }, body()),
            note
          )
          yield* Effect.flatMap(ask("POST", "/v1/rerank", { ...ours, "x-tollgate-cost-mode": canary }, body()), note)
        }).pipe(Effect.provide(host), Effect.orDie)
      )
      expect(statuses).toEqual([400, 400, 401, 401, 404, 413, 500, 500, 502, 502, 200, 200, 400, 400])
      expect(lines.join("\n")).toContain("request failed")
      expect(lines.join("\n")).toContain("TypeError")
      expect(lines.join("\n")).toMatch(/req_[0-9a-z]+/)
      expect(lines.join("\n")).not.toContain(canary)
      expect(output).not.toContain(canary)
      for (const { body, raw } of good.received) expect(raw + body).not.toContain(canary)
      expect(good.received.map(({ url }) => url)).toEqual([
        "/v1/rerank",
        "/v1/rerank",
        "/v1beta/models/m:generateContent"
      ])
    })
  )

  it.live("reaches the upstream only in the body field that the caller put it in", () =>
    Effect.gen(function* () {
      const { port, received } = yield* httpUpstream((res) =>
        res.setHeader("content-type", "application/json").end("{}")
      )
      const host = Host.layerNode.pipe(
        Layer.provideMerge(TestGateway.layer({ providers: { rerank: providerAt(port) } }))
      )
      const body = JSON.stringify({ query: "q", documents: ["d"], token: canary })
      yield* ask("POST", "/v1/rerank", places(`Bearer ${key}`), body).pipe(Effect.provide(host))
      expect(received[0]?.body).toBe(body)
      expect(received[0]?.raw).not.toContain(canary)
    })
  )

  it.live("is not repeated in the gateway's own answers", () =>
    Effect.gen(function* () {
      const answers = [
        yield* ask("POST", "/v1/rerank", places(`Bearer ${canary}`), "{}"),
        yield* ask("GET", `/v1/${canary}?key=${canary}`, places(`Bearer ${key}`)),
        yield* ask(
          "POST",
          "/v1/rerank",
          places(`Bearer ${key}`),
          JSON.stringify({ query: [canary], documents: [canary] })
        ),
        yield* Effect.sync(() => (armed = true)).pipe(
          Effect.andThen(
            ask("POST", "/v1/faulty", places(`Bearer ${key}`), JSON.stringify({ query: canary, documents: [canary] }))
          )
        )
      ]
      armed = false
      expect(answers.map(({ status }) => status)).toEqual([401, 404, 400, 500])
      for (const { headers, text } of answers) expect(text + JSON.stringify(headers)).not.toContain(canary)
    }).pipe(
      Effect.provide(
        Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations: all })), Layer.provide(logged().layer))
      )
    )
  )
})

describe("the credential of the typed client", () => {
  it.live("appears in no transport error, however it is printed", () =>
    Effect.gen(function* () {
      const cut = yield* tcpUpstream((socket) => socket.once("data", () => socket.destroy()))
      const half = yield* tcpUpstream((socket) =>
        socket.once("data", () =>
          socket.end("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{")
        )
      )
      for (const [port, _tag, outcome] of [
        [yield* closedPort, "TransportFailed", "not executed"],
        [cut.port, "OutcomeUnknown", "unknown"],
        [half.port, "OutcomeUnknown", "unknown"]
      ] as const) {
        const error = yield* Effect.flip(
          rerank({ query: "q", documents: ["d"] }).pipe(
            Effect.provide(
              NodeClient.layer({
                credential: canary,
                baseUrl: `http://127.0.0.1:${port}`,
                names: Names.defaults,
                retry: { retries: 0 }
              })
            )
          )
        )
        expect(error).toMatchObject({ _tag, outcome })
        const shown = [
          String(error),
          error.stack,
          JSON.stringify(error),
          inspect(error, { depth: 20, showHidden: true, customInspect: false }),
          inspect(error, { depth: 20 })
        ].join("\n")
        expect(shown).not.toContain(canary)
      }
    })
  )
})

describe("traces", () => {
  it.live("contain no credential, neither in headers nor in queries", () =>
    Effect.gen(function* () {
      const spans: Array<Tracer.NativeSpan> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      const host = Host.layerNode.pipe(
        Layer.provideMerge(TestGateway.layer({ operations: all })),
        Layer.provide(Redaction.layer),
        Layer.provide(Layer.succeed(Tracer.Tracer, tracer)),
        Layer.provide(logged().layer)
      )
      yield* Effect.gen(function* () {
        const path = `/v1beta/models/m:generateContent?key=${canary}`
        yield* ask("POST", path, {}, "{}")
        yield* ask("POST", "/v1/rerank", { ...places(`Bearer ${canary}`), "user-agent": "sdk/1" }, "{}")
      }).pipe(Effect.provide(host))
      expect(spans.length).toBeGreaterThan(0)
      for (const span of spans) {
        expect(inspect([span.name, [...span.attributes], span.events, span.status], { depth: 10 })).not.toContain(
          canary
        )
      }
    })
  )
})
