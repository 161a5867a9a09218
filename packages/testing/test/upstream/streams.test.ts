import { describe, expect, it } from "@effect/vitest"
import { Host, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { request } from "node:http"
import { countOf } from "@tollgate-tooling/programs/counts.ts"
import { ask } from "@tollgate/testing/ask"
import { type Call, calls, priced, reservedTotal, streams, type Style } from "@tollgate/testing/models"

const host = Host.layerNode.pipe(
  Layer.provideMerge(TestGateway.layer({ operations: priced, limits: true, sandbox: "all" }))
)
const test = (name: string, effect: () => Effect.Effect<unknown, unknown, Host | TestGateway>) =>
  it.live(name, () => Effect.provide(effect(), host))

const question = "Why do rivers bend, and where?"
const scenario = (text: string) => ({ "x-tollgate-scenario": text })

const send = (style: Style, more: object = {}, headers: Readonly<Record<string, string>> = {}) =>
  ask("POST", style.path, { ...style.headers, ...headers }, style.body(question, more))

const only = Effect.map(calls, (all) => {
  expect(all).toHaveLength(1)
  return all[0]!
})

/** Waits until the call has ended, because its caller may leave earlier. */
const ended = Effect.gen(function* () {
  for (;;) {
    const call = yield* only
    if (call.state !== "open") return call
    yield* Effect.sleep("5 millis")
  }
})

const cost = ({ cache_read_tokens, cache_write_tokens, input_tokens, output_tokens }: Call): number =>
  Math.floor((input_tokens * 30 + output_tokens * 170 + cache_read_tokens * 5 + cache_write_tokens * 50 + 5) / 10)

const billed = Effect.flatMap(TestGateway, ({ billingLog }) => billingLog.entries)

const commentOf = (text: string): string | undefined => /^: (cost_micros_usd=.*)$/m.exec(text)?.[1]

/** Reads this many chunks and disconnects. */
const leaveAfter = (style: Style, pieces: number, headers: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(Host, ({ baseUrl }) =>
    Effect.callback<string>((resume) => {
      let text = ""
      let seen = 0
      const req = request(`${baseUrl}${style.path}`, {
        method: "POST",
        headers: { ...style.headers, ...headers, "content-type": "application/json" }
      })
      const leave = () => {
        req.destroy()
        resume(Effect.succeed(text))
      }
      req.on("error", () => {})
      req.on("response", (res) => {
        if (pieces === 0) return leave()
        res.on("error", () => {})
        res.on("data", (chunk: Buffer) => {
          text += chunk.toString()
          if (++seen >= pieces) leave()
        })
        res.on("end", () => resume(Effect.succeed(text)))
      })
      req.end(style.body(question))
    })
  )

for (const [name, style] of Object.entries(streams)) {
  const isEvents = name !== "gemini, as an array"
  /** Enough events for some text. */
  const after = name === "responses" ? 8 : 4

  describe(`a stream: ${name}`, () => {
    test("is charged for exactly the tokens that the upstream billed", () =>
      Effect.gen(function* () {
        const answer = yield* send(style, {}, scenario("cached; tokens=3"))
        expect(answer.status).toBe(200)
        expect(answer.headers["x-tollgate-cost-state"]).toBe("pending")
        const call = yield* only
        const [entry] = yield* billed
        expect(entry?.billed).toEqual({
          input: call.input_tokens,
          output: call.output_tokens,
          cacheRead: call.cache_read_tokens,
          cacheWrite: call.cache_write_tokens
        })
        expect(call).toMatchObject({
          state: "settled",
          cost_state: "settled",
          charged: cost(call),
          cache_read_tokens: 3
        })
        expect(call.output_tokens).toBeGreaterThan(10)
        expect(commentOf(answer.text)).toBe(isEvents ? `cost_micros_usd=${call.charged} cost_state=settled` : undefined)
        expect(yield* reservedTotal).toBe(0)
      }))

    test("passes the upstream's bytes on unchanged", () =>
      Effect.gen(function* () {
        // The caller asked for usage, so the gateway removes nothing.
        const answer = yield* send(style, name === "openai" ? { stream_options: { include_usage: true } } : {})
        const text = answer.text.replace(/^: cost.*\n\n/m, "")
        if (isEvents) expect(answer.headers["content-type"]).toContain("text/event-stream")
        else expect(Array.isArray(JSON.parse(text))).toBe(true)
        expect(text).toContain("\u201c")
        expect(text.match(name === "openai" ? /"usage":\{/ : /sage/)).not.toBeNull()
      }))

    test("without usage is charged by the text that passed, and marked as estimated", () =>
      Effect.gen(function* () {
        const answer = yield* send(style, {}, scenario("no-usage"))
        expect(answer.status).toBe(200)
        const call = yield* only
        expect(call).toMatchObject({ state: "settled", cost_state: "estimated", charged: cost(call) })
        expect(call.output_tokens).toBeGreaterThan(0)
      }))

    test("that the upstream cuts ends with an error for the caller, and is charged for what arrived", () =>
      Effect.gen(function* () {
        const broken = yield* send(style, {}, scenario(`reset; after=${after}`))
        expect(broken.text).toContain("upstream_failed")
        const call = yield* ended
        expect(call).toMatchObject({ state: "settled", cost_state: "estimated", charged: cost(call) })
        expect(yield* reservedTotal).toBe(0)
      }))

    test("with an error half way passes the error on, and is charged for what arrived", () =>
      Effect.gen(function* () {
        const answer = yield* send(style, {}, scenario(`stream-error; after=${after}`))
        expect(answer.text).toContain("error")
        const call = yield* ended
        expect(call).toMatchObject({ state: "settled", cost_state: "estimated" })
        expect(call.charged).toBe(cost(call))
      }))

    test("that starts with an error costs nothing", () =>
      Effect.gen(function* () {
        const answer = yield* send(style, {}, scenario("stream-error; after=0"))
        expect(answer.text).toContain("error")
        const call = yield* ended
        expect(["released", "settled"]).toContain(call.state)
        if (name === "openai" || name === "responses" || !isEvents || name === "gemini")
          expect(call).toMatchObject({ state: "released", charged: 0 })
      }))

    test("that the caller leaves after any piece is settled once, for no more than arrived", () =>
      Effect.gen(function* () {
        const { sql } = yield* TestGateway
        for (let pieces = 0; pieces < 12; pieces++) {
          yield* Effect.orDie(sql.unsafe("DELETE FROM calls"))
          const text = yield* leaveAfter(style, pieces, scenario("interval; ms=2"))
          const call = yield* ended
          expect(call.charged).toBe(call.state === "unknown" ? 0 : cost(call))
          if (call.state !== "unknown") {
            expect(call.state).toBe("settled")
            expect(call.charged).toBeLessThanOrEqual(call.reserved)
            // Events in transit when the caller left may have arrived too.
            if (call.cost_state === "estimated") expect(call.output_tokens).toBeLessThanOrEqual(text.length + 200)
          } else expect(pieces).toBeLessThan(after)
        }
        while ((yield* billed).length < 12) yield* Effect.sleep("5 millis")
        expect(yield* billed).toHaveLength(12)
      }))

    test("frees its concurrency place when the caller leaves", () =>
      Effect.gen(function* () {
        // A free account has a concurrency of five.
        for (let i = 0; i < 8; i++) yield* leaveAfter(style, 1, scenario("interval; ms=5"))
        // Concurrency is freed a moment after the caller has left. If it were not, this test would time out.
        while ((yield* send(style)).status !== 200) yield* Effect.sleep("50 millis")
      }))

    test("completes its idempotency key, and cannot be replayed", () =>
      Effect.gen(function* () {
        const headers = { "idempotency-key": "k1", "x-tollgate-idempotency-mode": "replay" }
        expect((yield* send(style, {}, headers)).status).toBe(200)
        const again = yield* send(style, {}, headers)
        expect(again.status).toBe(409)
        expect(yield* calls).toHaveLength(1)
      }))

    test("that the upstream refuses is an ordinary error answer", () =>
      Effect.gen(function* () {
        const answer = yield* send(style, {}, scenario("status; code=500"))
        expect(answer.status).toBe(500)
        expect(answer.headers["content-type"]).toContain("application/json")
        expect(yield* only).toMatchObject({ state: "released", charged: 0 })
      }))
  })
}

describe("usage that only the gateway asked for", () => {
  test("is removed from the stream", () =>
    Effect.gen(function* () {
      const plain = yield* send(streams.openai)
      expect(plain.text).not.toContain("usage")
      expect(plain.text).toContain("data: [DONE]")
      const asked = yield* send(streams.openai, { stream_options: { include_usage: true } })
      expect(asked.text).toContain('"usage":{')
    }))
})

const many = countOf("STREAM_EVENTS", 8_000, 20_000)

describe(`a stream of ${many} events`, () => {
  test("reaches a slow reader without filling memory", () =>
    Effect.gen(function* () {
      const before = process.memoryUsage().rss
      const { baseUrl } = yield* Host
      const seen = yield* Effect.callback<{ bytes: number; grown: number }>((resume) => {
        let bytes = 0
        let grown = 0
        const req = request(`${baseUrl}${streams.openai.path}`, {
          method: "POST",
          headers: {
            ...streams.openai.headers,
            ...scenario(`long; events=${many}`),
            "content-type": "application/json"
          }
        })
        req.on("response", (res) => {
          res.pause()
          // Unread for a while, so that backpressure reaches the upstream.
          setTimeout(() => {
            grown = process.memoryUsage().rss - before
            res.on("data", (chunk: Buffer) => (bytes += chunk.length))
            res.on("end", () => resume(Effect.succeed({ bytes, grown })))
            res.resume()
          }, 300)
        })
        req.end(streams.openai.body(question, { max_tokens: 100_000 }))
      })
      expect(seen.bytes).toBeGreaterThan(100 * many)
      expect(seen.grown).toBeLessThan(100_000_000)
    }))
})
