import { describe, expect, it } from "@effect/vitest"
import { TestGateway } from "@tollgate/testing"
import { type Answer, askServed } from "@tollgate/testing/hostile/askServed"
import { Served, streamProviders } from "@tollgate/testing/hostile/Served"
import { tenant } from "@tollgate/testing/hostile/tenants"
import { bindings, type Call, calls, priced, reservedTotal, streams } from "@tollgate/testing/models"
import { httpUpstream } from "@tollgate/testing/upstream"
import { routesTo } from "@tollgate/gateway/upstream/Route"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ServerResponse } from "node:http"

type Style = "openai" | "responses" | "anthropic" | "gemini"

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const events = { "content-type": "text/event-stream" }

const whole = {
  openai:
    data({ choices: [{ index: 0, delta: { content: "word" }, finish_reason: "stop" }] }) +
    data({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 20 } }),
  responses:
    data({ type: "response.created", response: { id: "r" } }) +
    data({ type: "response.output_text.delta", delta: "word" }) +
    data({ type: "response.completed", response: { id: "r", usage: { input_tokens: 10, output_tokens: 20 } } }),
  anthropic:
    data({ type: "message_start", message: { usage: { input_tokens: 10, output_tokens: 1 } } }) +
    data({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "word" } }) +
    data({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 20 } }),
  gemini: data({
    candidates: [{ index: 0, content: { parts: [{ text: "word" }] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 20 }
  })
}

const charged = ["settled", "settled", 370]

const errors: ReadonlyArray<readonly [Style, string, status: number, tries: boolean]> = [
  ["openai", data({ error: { message: "busy", type: "server_error", code: null } }), 500, true],
  ["openai", data({ error: { message: "slow down", code: "rate_limit_exceeded" } }), 429, true],
  ["openai", data({ error: { message: "bad", type: "invalid_request_error" } }), 400, false],
  ["openai", data({ error: { message: "late", code: 504 } }), 504, false],
  ["openai", data({ error: { message: "what?" } }), 502, true],
  ["openai", `: processing\n\n${data({ error: { message: "busy", code: 503 } })}`, 503, true],
  ["responses", data({ type: "error", code: "server_error", message: "busy", sequence_number: 0 }), 500, true],
  [
    "responses",
    data({ type: "response.failed", response: { error: { code: "server_error", message: "x" } } }),
    500,
    true
  ],
  [
    "anthropic",
    `event: ping\n${data({ type: "ping" })}event: error\n${data({ type: "error", error: { type: "overloaded_error", message: "x" } })}`,
    529,
    true
  ],
  ["gemini", data({ error: { code: 503, message: "x", status: "UNAVAILABLE" } }), 503, true],
  ["gemini", data({ error: { message: "x", status: "RESOURCE_EXHAUSTED" } }), 429, true]
]

const layerTo = (...ports: ReadonlyArray<number>) => {
  const each = ports.map((port, i) => routesTo(mapped(port, i)))
  const [first = []] = each
  // The first one gets nearly all first attempts.
  const routes = first.map((route, at) => ({
    ...route,
    to: each.flatMap((routes, i) => (routes[at]?.to ?? []).map((target) => ({ ...target, weight: i === 0 ? 1e9 : 1 })))
  }))
  return Layer.provideMerge(Served.layer(), TestGateway.layer({ operations: priced, bindings, routes }))
}

const mapped = (port: number, i: number) =>
  Object.fromEntries(
    Object.entries(streamProviders(port)).map(([id, provider]) => [id, { ...provider, name: `${provider.name}${i}` }])
  )

const shown = ({ charged, cost_state, state }: Call) => [state, cost_state, charged]
const ask = (style: Style): Effect.Effect<Answer, never, Served> =>
  askServed(streams[style].path, streams[style].body("Why?", {}), streams[style].headers)

const answering = (text: string) => httpUpstream((res: ServerResponse) => void res.writeHead(200, events).end(text))

describe("a stream that begins with an error", () => {
  for (const [style, text, status, tries] of errors) {
    it.live(`has the error's status, at no charge: ${style}, ${status}`, () =>
      Effect.gen(function* () {
        const { port } = yield* answering(text)
        yield* Effect.gen(function* () {
          const answer = yield* ask(style)
          expect([answer.status, answer.headers["content-type"]]).toEqual([status, expect.stringContaining("json")])
          expect(answer.json()).toMatchObject({ error: { message: expect.any(String) } })
          expect((yield* calls).map(({ charged, state }) => [state, charged])).toEqual([["released", 0]])
          expect(yield* reservedTotal).toBe(0)
        }).pipe(Effect.provide(layerTo(port)))
      }).pipe(Effect.scoped)
    )

    it.live(`${tries ? "is" : "is not"} sent to the next upstream: ${style}, ${status}`, () =>
      Effect.gen(function* () {
        const failing = yield* answering(text)
        const good = yield* answering(whole[style])
        yield* Effect.gen(function* () {
          const answer = yield* ask(style)
          expect(failing.received).toHaveLength(1)
          expect(good.received).toHaveLength(tries ? 1 : 0)
          expect(answer.status).toBe(tries ? 200 : status)
          if (tries) expect((yield* calls).map(shown)).toEqual([charged])
        }).pipe(Effect.provide(layerTo(failing.port, good.port)))
      }).pipe(Effect.scoped)
    )
  }

  it.live("pauses its upstream if that is so for several accounts, and the next upstream gets their calls", () =>
    Effect.gen(function* () {
      const failing = yield* answering(errors[0]![1])
      const good = yield* answering(whole.openai)
      yield* Effect.gen(function* () {
        const { body, path } = streams.openai
        const tenants = yield* Effect.all([tenant("one"), tenant("two"), tenant("three")])
        let sent = 0
        // By the sixth call of each account at the latest.
        for (let round = 0; round < 7; round++) {
          for (const headers of tenants) {
            expect((yield* askServed(path, body("Why?", {}), headers)).status).toBe(200)
            sent++
          }
        }
        expect(good.received).toHaveLength(sent)
        const tried = failing.received.length
        expect(tried).toBeLessThan(sent)
        expect((yield* askServed(path, body("Why?", {}), tenants[0]!)).status).toBe(200)
        expect(failing.received).toHaveLength(tried)
        expect((yield* calls).map(shown)).toEqual(Array.from({ length: sent + 1 }, () => charged))
        expect(yield* reservedTotal).toBe(0)
      }).pipe(Effect.provide(layerTo(failing.port, good.port)))
    }).pipe(Effect.scoped)
  )

  it.live("does not pause its upstream for others if one account makes it so", () =>
    Effect.gen(function* () {
      const poison = "poison"
      const { port } = yield* httpUpstream((res, { body }) => {
        res.writeHead(200, events).end(body.includes(poison) ? errors[0]![1] : whole.openai)
      })
      yield* Effect.gen(function* () {
        const { body, path } = streams.openai
        const hostile = yield* tenant("hostile")
        const honest = yield* tenant("honest")
        for (let i = 0; i < 10; i++) {
          for (let j = 0; j < 5; j++) expect((yield* askServed(path, body(poison, {}), hostile)).status).toBe(500)
          expect((yield* askServed(path, body("Why?", {}), honest)).status).toBe(200)
        }
      }).pipe(Effect.provide(layerTo(port)))
    }).pipe(Effect.scoped)
  )

  it.live("shows no credential of the gateway", () =>
    Effect.gen(function* () {
      const { port } = yield* httpUpstream((res, { headers }) => {
        res.writeHead(200, events).end(data({ error: { message: `bad key ${headers.authorization}`, code: 500 } }))
      })
      yield* Effect.gen(function* () {
        expect((yield* ask("openai")).text).not.toContain("tg_")
      }).pipe(Effect.provide(layerTo(port)))
    }).pipe(Effect.scoped)
  )
})

describe("a stream whose first event is late", () => {
  it.live(
    "gets its head after five seconds, and all of its events",
    () =>
      Effect.gen(function* () {
        const held: Array<ServerResponse> = []
        const { port } = yield* httpUpstream((res) => {
          res.writeHead(200, events).write(": processing\n\n")
          held.push(res)
        })
        yield* Effect.gen(function* () {
          const { baseUrl } = yield* Served
          const { body, headers, path } = streams.openai
          const response = yield* Effect.promise(() =>
            fetch(`${baseUrl}${path}`, {
              method: "POST",
              headers: { ...headers, "content-type": "application/json" },
              body: body("Why?", {})
            })
          )
          expect(response.status).toBe(200)
          held[0]?.end(data({ error: { message: "too late for a status" } }))
          const text = yield* Effect.promise(() => response.text())
          expect(text).toContain(": processing")
          expect(text).toContain("too late")
        }).pipe(Effect.provide(layerTo(port)))
      }).pipe(Effect.scoped),
    60_000
  )
})

describe("a stream that closes after its finish reason and its usage", () => {
  for (const style of ["openai", "anthropic", "gemini"] as const) {
    for (const [how, end] of [
      ["by ending", (res: ServerResponse) => void res.end()],
      ["in the middle of an event", (res: ServerResponse) => void res.end("data: [DO")],
      ["by breaking off", (res: ServerResponse) => void setTimeout(() => res.destroy(), 50)]
    ] as const) {
      it.live(`is complete: ${style}, ${how}`, () =>
        Effect.gen(function* () {
          const { port } = yield* httpUpstream((res) => {
            res.writeHead(200, events).write(whole[style])
            end(res)
          })
          yield* Effect.gen(function* () {
            const answer = yield* ask(style)
            expect(answer.complete).toBe(true)
            expect(answer.text).not.toContain("error")
            expect(answer.text).toContain("cost_micros_usd=370 cost_state=settled")
            expect((yield* calls).map(shown)).toEqual([charged])
          }).pipe(Effect.provide(layerTo(port)))
        }).pipe(Effect.scoped)
      )
    }
  }
})

describe("an estimate", () => {
  const long = "x".repeat(600_000)
  const bodies: ReadonlyArray<readonly [string, object, string, most: number]> = [
    [
      "the text",
      { max_tokens: 100 },
      data({ choices: [{ index: 0, delta: { content: long }, finish_reason: null }] }),
      1_700
    ],
    [
      "a report before the end",
      { max_tokens: 100, n: 2 },
      data({
        choices: [{ index: 0, delta: { content: "x" } }],
        usage: { prompt_tokens: 10, completion_tokens: 900_000_000 }
      }),
      3_400
    ]
  ]
  for (const [what, more, text, most] of bodies) {
    it.live(`never exceeds the request's own output limit times its answers: ${what}`, () =>
      Effect.gen(function* () {
        const { port } = yield* httpUpstream((res) => {
          res.writeHead(200, events).write(text)
          setTimeout(() => res.destroy(), 100)
        })
        yield* Effect.gen(function* () {
          yield* askServed("/v1/chat/completions", streams.openai.body("Why?", more))
          const [call] = yield* calls
          expect([call?.state, call?.cost_state, call?.output_tokens]).toEqual(["settled", "estimated", most / 17])
          expect(call?.charged).toBeLessThanOrEqual(most + 100)
        }).pipe(Effect.provide(layerTo(port)))
      }).pipe(Effect.scoped)
    )
  }

  it.live("of a whole answer without usage keeps to the limit, and to the one that was set for a cap", () =>
    Effect.gen(function* () {
      const body = { choices: [{ index: 0, message: { role: "assistant", content: long }, finish_reason: "stop" }] }
      const { port } = yield* httpUpstream((res) => {
        res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
      })
      yield* Effect.gen(function* () {
        const { headers, path } = streams.openai
        const asked = (more: object, cap: object = {}) =>
          askServed(path, streams.openai.body("Why?", { stream: false, ...more }), { ...headers, ...cap })
        expect((yield* asked({ max_tokens: 100 })).status).toBe(200)
        expect((yield* asked({}, { "x-tollgate-max-price-usd": "0.002" })).status).toBe(200)
        const [limited, capped] = yield* calls
        expect([limited?.cost_state, limited?.output_tokens]).toEqual(["estimated", 100])
        expect(capped?.cost_state).toBe("estimated")
        expect(capped?.charged).toBeLessThanOrEqual(2_000)
        expect(capped?.output_tokens).toBeLessThanOrEqual(120)
      }).pipe(Effect.provide(layerTo(port)))
    }).pipe(Effect.scoped)
  )
})
