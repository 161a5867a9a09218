import { describe, expect, it } from "@effect/vitest"
import { askServed } from "@tollgate/testing/hostile/askServed"
import { pausedUpstream, until } from "@tollgate/testing/hostile/pausedUpstream"
import { providerAt, servedTo, streamProviders } from "@tollgate/testing/hostile/Served"
import { tenant } from "@tollgate/testing/hostile/tenants"
import { calls, reservedTotal, streams } from "@tollgate/testing/models"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { ServerResponse } from "node:http"

const rerank = (query: string, headers?: Readonly<Record<string, string>>) =>
  askServed("/v1/rerank", JSON.stringify({ query, documents: ["a"] }), headers)

const rerankAt = (port: number, connections: number) => ({
  rerank: providerAt(port, { protocol: "json", connections })
})

const ok = (res: ServerResponse) => void res.setHeader("content-type", "application/json").end('{"results":[]}')

const statesUntil = (count: number, state: string) =>
  Effect.gen(function* () {
    for (;;) {
      const states = (yield* calls).map((call) => call.state)
      if (states.filter((other) => other === state).length >= count) return states
      yield* Effect.sleep("2 millis")
    }
  })

describe("an upstream whose connections are all busy", () => {
  it.live("serves the keys in turn: one that floods it does not hold up another", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        const flood = yield* tenant("flood")
        const other = yield* tenant("other")
        const flooding = yield* Effect.forkChild(
          Effect.all(
            Array.from({ length: 40 }, (_, i) => rerank(`flood ${i}`, flood)),
            { concurrency: "unbounded" }
          )
        )
        yield* statesUntil(40, "open")
        const asking = yield* Effect.forkChild(rerank("other", other))
        yield* statesUntil(41, "open")
        let most = 0
        for (let answered = 0; answered < 41;) {
          yield* upstream.arrived(Math.min(41, answered + 2))
          most = Math.max(most, upstream.received.length - answered)
          answered = upstream.received.length
          yield* upstream.answer(ok)
        }
        // No more calls at a time than connections.
        expect(most).toBe(2)
        expect((yield* Fiber.join(asking)).status).toBe(200)
        expect(new Set((yield* Fiber.join(flooding)).map(({ status }) => status))).toEqual(new Set([200]))
        // Without turns it would have been the last.
        expect(upstream.received.findIndex(({ body }) => body.includes("other"))).toBeLessThan(20)
      }).pipe(Effect.provide(servedTo(rerankAt(upstream.port, 2))))
    }).pipe(Effect.scoped)
  )

  it.live("never gets a call whose caller leaves the queue, and nothing of it is held", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        const first = yield* Effect.forkChild(rerank("first"))
        yield* upstream.arrived(1)
        const leaving = yield* Effect.forkChild(rerank("leaves"))
        yield* statesUntil(2, "open")
        yield* Fiber.interrupt(leaving)
        expect(yield* statesUntil(1, "released")).toHaveLength(2)
        yield* upstream.answer(ok)
        expect((yield* Fiber.join(first)).status).toBe(200)
        const third = yield* Effect.forkChild(rerank("third"))
        yield* upstream.arrived(2)
        yield* upstream.answer(ok)
        expect((yield* Fiber.join(third)).status).toBe(200)
        expect(upstream.received.map(({ body }) => body.includes("leaves"))).toEqual([false, false])
        expect(yield* reservedTotal).toBe(0)
      }).pipe(Effect.provide(servedTo(rerankAt(upstream.port, 1))))
    }).pipe(Effect.scoped)
  )

  it.live("refuses with 503 and Retry-After a call that waits too long, and nothing of it is held", () =>
    Effect.gen(function* () {
      const held: Array<ServerResponse> = []
      const { port, received } = yield* httpUpstream((res) => {
        held.push(res.writeHead(200, { "content-type": "text/event-stream" }))
        res.write(`data: {"choices":[{"index":0,"delta":{}}]}\n\n`)
      })
      yield* Effect.gen(function* () {
        const { body, path } = streams.openai
        const streaming = yield* Effect.forkChild(askServed(path, body("Why?", {})))
        yield* until(() => held.length === 1)
        const refused = yield* askServed(path, body("Why?", {}))
        expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"])
        expect(refused.text).toContain("nothing was executed")
        expect(yield* statesUntil(1, "released")).toHaveLength(2)
        expect(received).toHaveLength(1)
        // The stream ends, and with it the use of its connection.
        for (const res of held.splice(0)) res.end("data: [DONE]\n\n")
        expect((yield* Fiber.join(streaming)).status).toBe(200)
        const next = yield* Effect.forkChild(askServed(path, body("Why?", {})))
        yield* until(() => held.length === 1)
        for (const res of held.splice(0)) res.end("data: [DONE]\n\n")
        expect((yield* Fiber.join(next)).status).toBe(200)
      }).pipe(
        Effect.provide(servedTo(streamProviders(port, { connections: 1, deadlineMillis: 1_000, idleMillis: 15_000 })))
      )
    }).pipe(Effect.scoped)
  )

  it.live("gets the next call as soon as the caller of a stream leaves", () =>
    Effect.gen(function* () {
      const { port, received } = yield* httpUpstream((res) => {
        res
          .writeHead(200, { "content-type": "text/event-stream" })
          .write(`data: {"choices":[{"index":0,"delta":{}}]}\n\n`)
      })
      yield* Effect.gen(function* () {
        const { body, path } = streams.openai
        for (let i = 1; i <= 5; i++) {
          const leaving = yield* Effect.forkChild(askServed(path, body("Why?", {})))
          yield* until(() => received.length === i)
          yield* Fiber.interrupt(leaving)
        }
      }).pipe(Effect.provide(servedTo(streamProviders(port, { connections: 1 }))))
    }).pipe(Effect.scoped)
  )
})

describe("a queue that is full", () => {
  it.live("refuses its key with 503 at once, and still takes calls of others", () =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      yield* Effect.gen(function* () {
        const flood = yield* tenant("flood")
        const other = yield* tenant("other")
        const flooding = yield* Effect.forEach(Array.from({ length: 65 }), (_, i) =>
          Effect.forkChild(rerank(`flood ${i}`, flood))
        )
        yield* statesUntil(65, "open")
        const refused = yield* rerank("one too many", flood)
        expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"])
        const asking = yield* Effect.forkChild(rerank("other", other))
        yield* statesUntil(66, "open")
        for (let answered = 1; answered <= 66; answered++) {
          yield* upstream.arrived(answered)
          yield* upstream.answer(ok)
        }
        expect((yield* Fiber.join(asking)).status).toBe(200)
        expect((yield* Fiber.joinAll(flooding)).every(({ status }) => status === 200)).toBe(true)
        expect(upstream.received.findIndex(({ body }) => body.includes("other"))).toBeLessThan(33)
      }).pipe(Effect.provide(servedTo(rerankAt(upstream.port, 1))))
    }).pipe(Effect.scoped)
  )
})
