import { describe, expect, it } from "@effect/vitest"
import { request } from "@tollgate/testing/hardening/requests"
import { wire } from "@tollgate/testing/hardening/wire"
import { completion, pausedUpstream, until } from "@tollgate/testing/hostile/pausedUpstream"
import { gatewayTo, providerAt, Served, servedTo } from "@tollgate/testing/hostile/Served"
import { calls, reservedTotal } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"

const chat = (more: object = {}, ...headers: ReadonlyArray<string>) =>
  request(
    "POST /v1/chat/completions",
    headers,
    JSON.stringify({ model: "sandbox", max_tokens: 50, messages: [{ role: "user", content: "Why?" }], ...more })
  )

const chatAt = (port: number) => ({ "chat.completions": providerAt(port, { protocol: "openai" }) })

/** Sends a call, waits until it has arrived, and disconnects. */
const leave = Effect.fnUntraced(function* <R>(text: string, arrived: Effect.Effect<void, never, R>) {
  const { port } = yield* Served
  const client = yield* wire(port)
  client.send(text)
  yield* arrived
  client.socket.resetAndDestroy()
}, Effect.scoped)

const answerTo = Effect.fnUntraced(function* (text: string) {
  const { port } = yield* Served
  const client = yield* wire(port)
  client.send(text)
  const [answer] = yield* client.until(1)
  return answer
}, Effect.scoped)

/** Connections are served in order, so the gateway has seen what other callers did before. */
const gatewayHasSeenIt = Effect.asVoid(answerTo(request("GET /v1/nothing")))

const ended = Effect.gen(function* () {
  for (;;) {
    const all = yield* calls
    if (all.every(({ state }) => state !== "open")) return all
    yield* Effect.sleep("2 millis")
  }
})

/** The price of `completion(10, 20)` at 3 and 17 USD per million tokens. */
const charged = 370

describe("a caller who leaves a whole call", () => {
  it.live("pays for it: the call is carried to its end", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        for (let i = 1; i <= 20; i++) yield* leave(chat(), upstream.arrived(i))
        yield* upstream.answer(completion(10, 20))
        expect((yield* ended).map((call) => [call.state, call.cost_state, call.charged])).toEqual(
          Array.from({ length: 20 }, () => ["settled", "settled", charged])
        )
        expect(yield* reservedTotal).toBe(0)
      }).pipe(Effect.provide(servedTo(chatAt(upstream.port))))
    }).pipe(Effect.scoped)
  )

  it.live("gets its answer again under the idempotency key, without a second charge", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        const again = chat({}, "Idempotency-Key: k1", "X-Tollgate-Idempotency-Mode: replay")
        yield* leave(again, upstream.arrived(1))
        yield* upstream.answer(completion(10, 20))
        yield* ended
        const answer = yield* answerTo(again)
        expect([answer?.status, answer?.headers["idempotent-replayed"]]).toEqual([200, "true"])
        expect(answer?.body).toContain("Because.")
        expect((yield* calls).reduce((sum, call) => sum + call.charged, 0)).toBe(charged)
        expect(upstream.received).toHaveLength(1)
      }).pipe(Effect.provide(servedTo(chatAt(upstream.port))))
    }).pipe(Effect.scoped)
  )

  it.live("keeps its place in the concurrency limit until the call ends", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        // A free account has a concurrency of five.
        for (let i = 1; i <= 5; i++) yield* leave(chat(), upstream.arrived(i))
        expect((yield* answerTo(chat()))?.status).toBe(429)
        yield* upstream.answer(completion(10, 20))
        yield* ended
        const next = yield* Effect.forkChild(answerTo(chat()))
        yield* upstream.arrived(6)
        yield* upstream.answer(completion(10, 20))
        expect((yield* Fiber.join(next))?.status).toBe(200)
      }).pipe(Effect.provide(servedTo(chatAt(upstream.port), { limits: true })))
    }).pipe(Effect.scoped)
  )

  it.live("is waited for when the gateway stops", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        const server = yield* Scope.make()
        const context = yield* Layer.buildWithScope(Served.layer(), server)
        yield* Effect.provideContext(leave(chat(), upstream.arrived(1)), context)
        const stopped = yield* Effect.forkChild(Scope.close(server, Exit.void))
        yield* Effect.yieldNow
        expect(stopped.pollUnsafe()).toBeUndefined()
        yield* upstream.answer(completion(10, 20))
        yield* Fiber.join(stopped)
        expect((yield* calls).map((call) => [call.state, call.charged])).toEqual([["settled", charged]])
      }).pipe(Effect.provide(gatewayTo(chatAt(upstream.port))))
    }).pipe(Effect.scoped)
  )

  it.live("leaves nothing behind before the reservation: in the body", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        yield* leave(chat().slice(0, -5), gatewayHasSeenIt)
        yield* gatewayHasSeenIt
        expect(yield* calls).toEqual([])
        expect(upstream.received).toEqual([])
      }).pipe(Effect.provide(servedTo(chatAt(upstream.port))))
    }).pipe(Effect.scoped)
  )
})

describe("a call that is still waiting upstream when the time for stopping is up", () => {
  it.live("is cut and marked unknown, and its caller is told so", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        const server = yield* Scope.make()
        const context = yield* Layer.buildWithScope(Served.layer({ shutdownDeadline: 0 }), server)
        const caller = yield* Effect.forkChild(Effect.provideContext(answerTo(chat()), context))
        yield* upstream.arrived(1)
        yield* Scope.close(server, Exit.void)
        const answer = yield* Fiber.join(caller)
        expect(answer?.status).toBe(502)
        expect(JSON.parse(answer?.body ?? "")).toMatchObject({ error: { code: "upstream_failed" } })
        expect(answer?.headers["x-request-id"]).toMatch(/^req_/)
        expect((yield* calls).map((call) => [call.state, call.charged])).toEqual([["unknown", 0]])
      }).pipe(Effect.provide(gatewayTo(chatAt(upstream.port))))
    }).pipe(Effect.scoped)
  )
})

const delta = (content: string, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: "c1", choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`
const usage = `data: ${JSON.stringify({ id: "c1", choices: [], usage: { prompt_tokens: 10, completion_tokens: 20 } })}\n\n`
const done = "data: [DONE]\n\n"

/** Starts a stream with these events. Leaves when the caller has them, and returns the upstream's side of it. */
const leaveStream = Effect.fnUntraced(function* (
  upstream: Effect.Success<typeof pausedUpstream>,
  events: string,
  lastText: string
) {
  const { port } = yield* Served
  const client = yield* wire(port)
  client.send(chat({ stream: true }))
  yield* upstream.arrived(1)
  const response = yield* upstream.answer((res) => {
    res.writeHead(200, { "content-type": "text/event-stream" }).write(events)
  })
  yield* until(() => client.answers()[0]?.body.includes(lastText) === true)
  client.socket.resetAndDestroy()
  return response
}, Effect.scoped)

describe("a caller who leaves a stream", () => {
  it.live("after its finish reason pays what the upstream reports after that", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        const [res] = yield* leaveStream(upstream, delta("Because.") + delta("", "stop"), '"stop"')
        yield* gatewayHasSeenIt
        res?.end(usage + done)
        expect((yield* ended).map((call) => [call.state, call.cost_state, call.charged])).toEqual([
          ["settled", "settled", charged]
        ])
      }).pipe(Effect.provide(servedTo(chatAt(upstream.port))))
    }).pipe(Effect.scoped)
  )

  it.live("before that pays for what was sent, and the upstream is disconnected", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        const [res] = yield* leaveStream(upstream, delta("Because it is so."), "so.")
        yield* until(() => res?.destroyed === true)
        const [call] = yield* ended
        expect(call).toMatchObject({ state: "settled", cost_state: "estimated" })
        expect(call?.output_tokens).toBeGreaterThan(0)
        expect(call?.charged).toBeGreaterThan(0)
      }).pipe(Effect.provide(servedTo(chatAt(upstream.port))))
    }).pipe(Effect.scoped)
  )

  it.live("before it began pays for the input, and the upstream is disconnected", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        yield* leave(chat({ stream: true }), upstream.arrived(1))
        const [res] = yield* upstream.answer((res) => {
          res.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
        })
        yield* until(() => res?.destroyed === true)
        const [call] = yield* ended
        expect(call).toMatchObject({ state: "settled", cost_state: "estimated", output_tokens: 0 })
        expect(call?.charged).toBeGreaterThan(0)
      }).pipe(Effect.provide(servedTo(chatAt(upstream.port))))
    }).pipe(Effect.scoped)
  )
})
