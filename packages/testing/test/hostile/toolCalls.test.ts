import { describe, expect, it } from "@effect/vitest"
import { wire } from "@tollgate/testing/hardening/wire"
import { completion, pausedUpstream } from "@tollgate/testing/hostile/pausedUpstream"
import { gatewayTo, providerAt, Served, servedTo } from "@tollgate/testing/hostile/Served"
import { calls, reservedTotal } from "@tollgate/testing/models"
import { bearer, callTool, initialize, inSession, request, rpc, send } from "@tollgate/testing/tools/agent"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"

const chatAt = (port: number) => ({ "chat.completions": providerAt(port, { protocol: "openai" }) })

const chat = {
  operation_id: "chat.completions",
  arguments: { model: "sandbox", max_tokens: 50, messages: [{ role: "user", content: "Why?" }] },
  max_price_usd: 1
}

/** The price of `completion(10, 20)` at 3 and 17 USD per million tokens. */
const charged = 370

const ended = Effect.gen(function* () {
  for (;;) {
    const all = yield* calls
    if (all.every(({ state }) => state !== "open")) return all
    yield* Effect.sleep("2 millis")
  }
})

/** Calls `use`, waits until the call has arrived upstream, and breaks the connection. */
const leave = Effect.fnUntraced(function* (arrived: Effect.Effect<void>, input: object = chat) {
  const { port } = yield* Served
  const { body, headers } = request("tools/call", { name: "use", arguments: input })
  const client = yield* wire(port)
  const head = Object.entries({ ...headers, ...bearer, host: "gateway.invalid", "content-length": body.length })
  client.send(`POST /mcp HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}`).join("\r\n")}\r\n\r\n${body}`)
  yield* arrived
  client.socket.resetAndDestroy()
}, Effect.scoped)

describe("a client that breaks the connection in the middle of a call", () => {
  it.live("pays for it: the call is carried to its end", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        for (let i = 1; i <= 10; i++) yield* leave(upstream.arrived(i))
        yield* upstream.answer(completion(10, 20))
        expect((yield* ended).map((call) => [call.state, call.charged])).toEqual(
          Array.from({ length: 10 }, () => ["settled", charged])
        )
        expect(yield* reservedTotal).toBe(0)
      }).pipe(Effect.provide(servedTo(chatAt(upstream.port))))
    }).pipe(Effect.scoped)
  )

  it.live("is waited for when the gateway stops", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        const server = yield* Scope.make()
        const context = yield* Layer.buildWithScope(Served.layer(), server)
        yield* Effect.provideContext(leave(upstream.arrived(1)), context)
        const stopped = yield* Effect.forkChild(Scope.close(server, Exit.void))
        yield* Effect.yieldNow
        expect(stopped.pollUnsafe()).toBeUndefined()
        yield* upstream.answer(completion(10, 20))
        yield* Fiber.join(stopped)
        expect((yield* calls).map((call) => [call.state, call.charged])).toEqual([["settled", charged]])
      }).pipe(Effect.provide(gatewayTo(chatAt(upstream.port))))
    }).pipe(Effect.scoped)
  )
})

describe("a call that is cancelled", () => {
  it.live("is carried to its end and charged, and gets no answer", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        const { session } = yield* initialize()
        const running = yield* Effect.forkChild(
          send(rpc("tools/call", { name: "use", arguments: chat }, "c1"), inSession(session))
        )
        yield* upstream.arrived(1)
        const cancel = JSON.stringify({
          jsonrpc: "2.0",
          method: "notifications/cancelled",
          params: { requestId: "c1", reason: "the user left" }
        })
        expect((yield* send(cancel, inSession(session))).status).toBe(202)
        yield* upstream.answer(completion(10, 20))
        const answer = yield* Fiber.join(running)
        expect(answer.messages).toEqual([])
        expect((yield* ended).map((call) => [call.state, call.charged])).toEqual([["settled", charged]])
      }).pipe(Effect.provide(servedTo(chatAt(upstream.port))))
    }).pipe(Effect.scoped)
  )
})

describe("a call that is still waiting when the time for stopping is up", () => {
  it.live("is marked unknown, and its caller is told so", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        const server = yield* Scope.make()
        const context = yield* Layer.buildWithScope(Served.layer({ shutdownDeadline: 0 }), server)
        const caller = yield* Effect.forkChild(Effect.provideContext(callTool("use", chat), context))
        yield* upstream.arrived(1)
        yield* Scope.close(server, Exit.void)
        const { content } = yield* Fiber.join(caller)
        expect(content["error"]).toMatchObject({ outcome: "unknown", repeat: "never" })
        expect((yield* calls).map((call) => call.state)).toEqual(["unknown"])
      }).pipe(Effect.provide(gatewayTo(chatAt(upstream.port))))
    }).pipe(Effect.scoped)
  )
})
