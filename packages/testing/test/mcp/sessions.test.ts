import { describe, expect, it } from "@effect/vitest"
import { post, sellingTools } from "@tollgate/testing/mcp/soldTools"
import { toolUpstream, type ToolReply } from "@tollgate/testing/mcp/toolUpstream"
import { calls } from "@tollgate/testing/models"
import { closedPort } from "@tollgate/testing/upstream"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

const done = { content: [] }
const sold = [{ id: "tools.work", tool: "work" }]
const free = [{ id: "tools.work", tool: "work", price: { contract: "free" } as const, replay: "free" as const }]
const work = { work: { call: ({ result }: ToolReply) => result(done) } }

const codeOf = (body: string): unknown =>
  (JSON.parse(body) as { readonly error?: { readonly code?: unknown } }).error?.code

const states = Effect.map(calls, (rows) => rows.map(({ state }) => state))

/** Waits for what a server is about to receive. */
const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.andThen(Effect.sleep("5 millis"), until(holds))))

describe("the session with an MCP server", () => {
  for (const forgottenStatus of [404, 400] as const) {
    it.live(`begins anew if the server forgot it (${forgottenStatus}), and the call runs once`, () =>
      Effect.gen(function* () {
        let ran = 0
        const server = yield* toolUpstream({
          tools: { work: { call: ({ result }) => (ran++, result(done)) } },
          forgottenStatus
        })
        yield* Effect.gen(function* () {
          expect((yield* post("tools.work", {})).status).toBe(200)
          server.sessions.clear()
          const both = yield* Effect.all([post("tools.work", {}), post("tools.work", {})], { concurrency: 2 })
          expect(both.map(({ status }) => status)).toEqual([200, 200])
          expect([ran, server.sessions.size]).toEqual([3, 1])
        }).pipe(Effect.provide(sellingTools(sold, [server.port])))
        expect(server.sessions.size).toBe(0)
      }).pipe(Effect.scoped)
    )
  }

  it.live("is given up if the server forgets every one: nothing ran, nothing is charged", () =>
    Effect.gen(function* () {
      const server = yield* toolUpstream({
        tools: work,
        before: ({ method }, response) => method === "tools/call" && (response.writeHead(404).end(), true)
      })
      yield* Effect.gen(function* () {
        const answer = yield* post("tools.work", {})
        expect([answer.status, codeOf(answer.text)]).toEqual([503, "upstream_unreachable"])
        expect(server.methods().filter((method) => method === "tools/call")).toHaveLength(2)
        expect(yield* states).toEqual(["released"])
      }).pipe(Effect.provide(sellingTools(sold, [server.port])))
    }).pipe(Effect.scoped)
  )

  it.live("is one for many calls at a time, also if the first caller leaves while it begins", () =>
    Effect.gen(function* () {
      const held: Array<() => void> = []
      let answered = 0
      const waiting: Array<ToolReply> = []
      const server = yield* toolUpstream({
        tools: { work: { call: (reply) => void waiting.push(reply) } },
        before: ({ id, method }, response) => {
          if (method !== "initialize") return false
          const result = {
            protocolVersion: "2025-11-25",
            capabilities: { tools: {} },
            serverInfo: { name: "s", version: "1" }
          }
          held.push(() => {
            server.sessions.add("held")
            response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "held" })
            response.end(JSON.stringify({ jsonrpc: "2.0", id, result }))
          })
          return true
        }
      })
      yield* Effect.gen(function* () {
        const first = yield* Effect.forkChild(post("tools.work", {}))
        yield* until(() => held.length === 1)
        const all = yield* Effect.forkChild(
          Effect.all(
            Array.from({ length: 10 }, () => post("tools.work", {})),
            { concurrency: "unbounded" }
          )
        )
        yield* Fiber.interrupt(first)
        yield* until(() => {
          for (; answered < held.length; answered++) held[answered]?.()
          return waiting.length === 10
        })
        for (const { result } of waiting) result(done)
        expect((yield* Fiber.join(all)).map(({ status }) => status)).toEqual(Array(10).fill(200))
        // It begins anew if the first caller left before another came.
        expect(held.length).toBeLessThanOrEqual(2)
      }).pipe(Effect.provide(sellingTools(free, [server.port])))
    }).pipe(Effect.scoped)
  )

  it.live("is not kept waiting for by a server that never answers: the call is refused, and was not executed", () =>
    Effect.gen(function* () {
      const server = yield* toolUpstream({ tools: work, before: () => true })
      yield* Effect.gen(function* () {
        const answer = yield* post("tools.work", {})
        expect([answer.status, codeOf(answer.text)]).toEqual([503, "upstream_unreachable"])
        expect(yield* states).toEqual(["released"])
      }).pipe(Effect.provide(sellingTools(sold, [server.port], { deadlineMillis: 300 })))
    }).pipe(Effect.scoped)
  )

  for (const [what, page] of [
    ["endless pages", () => ({ tools: [], nextCursor: String(Math.random()) })],
    [
      "twenty thousand tools",
      () => ({ tools: Array.from({ length: 20_000 }, (_, i) => ({ name: `t${i}`, inputSchema: { type: "object" } })) })
    ],
    ["tools of more than 2 MiB on a page", () => ({ tools: [], _meta: { long: "x".repeat(2_500_000) } })],
    [
      "tools of more than 16 MiB on ten pages",
      (page: number) => ({ tools: ["x".repeat(1_900_000)], ...(page < 10 ? { nextCursor: String(page + 1) } : {}) })
    ],
    ["no list", () => ({ tools: 7 })]
  ] as const) {
    it.live(`does not begin with a server that lists ${what}`, () =>
      Effect.gen(function* () {
        const server = yield* toolUpstream({
          tools: work,
          before: ({ id, method, params }, response) =>
            method === "tools/list" &&
            (response
              .writeHead(200, { "content-type": "application/json" })
              .end(JSON.stringify({ jsonrpc: "2.0", id, result: page(Number(params?.["cursor"] ?? 1)) })),
            true)
        })
        yield* Effect.gen(function* () {
          const answer = yield* post("tools.work", {})
          expect([answer.status, codeOf(answer.text)]).toEqual([503, "upstream_misconfigured"])
          expect(server.sessions.size).toBe(0)
        }).pipe(Effect.provide(sellingTools(sold, [server.port])))
      }).pipe(Effect.scoped)
    )
  }
})

describe("a call of a tool that goes wrong", () => {
  it.live("goes to the next server if the first cannot be reached or refuses the gateway's credential", () =>
    Effect.gen(function* () {
      const closed = yield* closedPort
      const server = yield* toolUpstream({ tools: work })
      const refusing = yield* toolUpstream({
        tools: work,
        before: (_, response) => (response.writeHead(401).end(), true)
      })
      for (const first of [closed, refusing.port]) {
        yield* Effect.gen(function* () {
          expect((yield* post("tools.work", {})).status).toBe(200)
        }).pipe(Effect.provide(sellingTools(sold, [first, server.port])))
      }
    }).pipe(Effect.scoped)
  )

  it.live("is unknown if the connection breaks after it was sent, and no other server gets it", () =>
    Effect.gen(function* () {
      const server = yield* toolUpstream({ tools: { work: { call: ({ response }) => void response.destroy() } } })
      const other = yield* toolUpstream({ tools: work })
      yield* Effect.gen(function* () {
        const answer = yield* post("tools.work", {})
        expect([answer.status, codeOf(answer.text)]).toEqual([503, "upstream_failed"])
        expect(yield* states).toEqual(["unknown"])
        expect(other.methods()).toEqual([])
      }).pipe(Effect.provide(sellingTools(sold, [server.port, other.port])))
    }).pipe(Effect.scoped)
  )

  it.live("waits as long as the server's limit says", () =>
    Effect.gen(function* () {
      const server = yield* toolUpstream({
        tools: work,
        before: ({ method }, response) =>
          method === "tools/call" && (response.writeHead(429, { "retry-after": "7" }).end(), true)
      })
      yield* Effect.gen(function* () {
        const answer = yield* post("tools.work", {})
        expect([answer.status, codeOf(answer.text), answer.headers.get("retry-after")]).toEqual([
          429,
          "upstream_rate_limit",
          "7"
        ])
        expect(yield* states).toEqual(["released"])
      }).pipe(Effect.provide(sellingTools(sold, [server.port])))
    }).pipe(Effect.scoped)
  )

  it.live("is canceled at the server when its time is over, and is unknown", () =>
    Effect.gen(function* () {
      const server = yield* toolUpstream({
        tools: { work: { call: ({ arguments: { waits }, result }) => (waits === true ? undefined : result(done)) } }
      })
      yield* Effect.gen(function* () {
        // The time is for the call alone.
        expect((yield* post("tools.work", {})).status).toBe(200)
        const answer = yield* post("tools.work", { waits: true })
        expect([answer.status, codeOf(answer.text)]).toEqual([503, "upstream_timeout"])
        expect(yield* states).toEqual(["settled", "unknown"])
        yield* until(() => server.methods().includes("notifications/cancelled"))
        const called = server.messages.findLast(({ method }) => method === "tools/call")
        const canceled = server.messages.find(({ method }) => method === "notifications/cancelled")
        expect(canceled?.params).toEqual({ requestId: called?.id })
      }).pipe(Effect.provide(sellingTools(sold, [server.port], { deadlineMillis: 1_500 })))
    }).pipe(Effect.scoped)
  )

  it.live("is refused if its result is too long", () =>
    Effect.gen(function* () {
      const long = { content: [{ type: "text", text: "x".repeat(100_000) }] }
      for (const call of [
        ({ result }: ToolReply) => result(long),
        ({ result, response }: ToolReply) => {
          response.writeHead(200, { "content-type": "text/event-stream" })
          result(long)
        }
      ]) {
        const server = yield* toolUpstream({ tools: { work: { call } } })
        yield* Effect.gen(function* () {
          const answer = yield* post("tools.work", {})
          expect([answer.status, codeOf(answer.text)]).toEqual([503, "upstream_failed"])
          expect(answer.text).toContain("longer than the 50000 bytes")
        }).pipe(Effect.provide(sellingTools(sold, [server.port], { answerBytes: 50_000 })))
      }
    }).pipe(Effect.scoped)
  )

  it.live("is not sent to a private address unless the operator allows it", () =>
    Effect.gen(function* () {
      const server = yield* toolUpstream({ tools: work })
      yield* Effect.gen(function* () {
        expect(codeOf((yield* post("tools.work", {})).text)).toBe("upstream_unreachable")
        expect(server.received).toEqual([])
      }).pipe(Effect.provide(sellingTools(sold, [server.port], { private: false })))
    }).pipe(Effect.scoped)
  )
})

describe("a caller who leaves", () => {
  it.live("cancels a free call at the server", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const server = yield* toolUpstream({
        tools: { work: { call: () => Deferred.doneUnsafe(started, Effect.void) } }
      })
      yield* Effect.gen(function* () {
        const call = yield* Effect.forkChild(post("tools.work", {}))
        yield* Deferred.await(started)
        yield* Fiber.interrupt(call)
        yield* until(() => server.methods().includes("notifications/cancelled"))
      }).pipe(Effect.provide(sellingTools(free, [server.port])))
    }).pipe(Effect.scoped)
  )

  it.live("does not end a call that is billed: it is carried to its end", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<ToolReply>()
      const server = yield* toolUpstream({
        tools: { work: { call: (reply) => Deferred.doneUnsafe(started, Effect.succeed(reply)) } }
      })
      yield* Effect.gen(function* () {
        const call = yield* Effect.forkChild(post("tools.work", {}))
        const { result } = yield* Deferred.await(started)
        yield* Fiber.interrupt(call)
        result(done)
        yield* Effect.repeat(states, { until: ([state]) => state === "settled" })
        expect(server.methods()).not.toContain("notifications/cancelled")
      }).pipe(Effect.provide(sellingTools(sold, [server.port])))
    }).pipe(Effect.scoped)
  )
})
