import { describe, expect, it } from "@effect/vitest"
import { usd } from "@tollgate/contract/Money"
import type { Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { outgoing } from "@tollgate/gateway/upstream/outgoing"
import { json } from "@tollgate/gateway/upstream/protocols/json"
import type { Provider } from "@tollgate/gateway/upstream/Provider"
import { choose, type Route, type Target } from "@tollgate/gateway/upstream/Route"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { ask, question } from "@tollgate/testing/ask"
import { closedPort, exchange, httpUpstream, providerAt, tcpUpstream } from "@tollgate/testing/upstream"

const bearer = { authorization: `Bearer ${key}` }

const priced: ReadonlyArray<Operation> = operations.map((operation) =>
  operation.price.contract === "model_tokens" || operation.id === "rerank"
    ? { ...operation, price: { contract: "per_request", amount: usd("0.001") } }
    : operation
)

const through = <A, E>(routes: ReadonlyArray<Route>, effect: Effect.Effect<A, E, Host | TestGateway>) =>
  effect.pipe(
    Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ routes, operations: priced }))))
  )

const rerank = ask("POST", "/v1/rerank", bearer, question)
const to = (...targets: ReadonlyArray<Target>): Route => ({ operation: "rerank", to: targets })
const named = (name: string, port: number, deadlineMillis?: number): Provider => ({
  ...providerAt(port, deadlineMillis),
  name
})

/** A weight that makes it the first choice. */
const first = (provider: Provider): Target => ({ provider, weight: 1e12 })
const second = (provider: Provider): Target => ({ provider, weight: 1 })

const codeOf = (answer: { readonly json: () => unknown }): unknown =>
  (answer.json() as { readonly error: { readonly code: unknown } }).error.code

const calls = TestGateway.use(
  ({ sql }) =>
    sql<{
      state: string
      charged: bigint | number | null
    }>`SELECT state, charged, upstream, tried FROM calls WHERE owner <> ''`
)

/** The stored form. */
const triedOf = (...tried: ReadonlyArray<readonly [upstream: string, outcome: string]>): string =>
  JSON.stringify(tried.map(([upstream, outcome]) => ({ upstream, outcome })))

const ok = (res: ServerResponse) =>
  res.setHeader("content-type", "application/json").end('{"results":[],"usage":{"total_tokens":1000}}')

const status = (code: number, headers: Record<string, string> = {}, body = "{}") =>
  Effect.map(
    httpUpstream((res) => res.writeHead(code, headers).end(body)),
    ({ port, received }) => ({ port, heard: () => received.length })
  )

const socket = (behave: (socket: Socket) => void) =>
  Effect.gen(function* () {
    let heard = 0
    const { port } = yield* tcpUpstream((socket) => {
      heard++
      behave(socket)
    })
    return { port, heard: () => heard }
  })

describe("the next upstream of a route", () => {
  for (const [what, upstream, outcome] of [
    ["cannot be reached", Effect.map(closedPort, (port) => ({ port, heard: () => 0 })), "not connected"],
    ["answers 429", status(429, { "retry-after": "7" }), "rate limited"],
    ["refuses the gateway's credential with 401", status(401), "credential refused"],
    ["refuses the gateway's credential with 403", status(403), "credential refused"]
  ] as const) {
    it.live(`is called when the first ${what}, and only the next is charged for`, () =>
      Effect.gen(function* () {
        const failing = yield* upstream
        const { port, received } = yield* httpUpstream(ok)
        yield* through(
          [to(second(named("b", port)), first(named("a", failing.port)))],
          Effect.gen(function* () {
            const answer = yield* rerank
            expect([answer.status, answer.headers["x-tollgate-cost-micros-usd"]]).toEqual([200, "1000"])
            expect(failing.heard()).toBeLessThanOrEqual(1)
            expect(received).toHaveLength(1)
            expect(received[0]?.body).toBe(question)
            expect(yield* calls).toMatchObject([
              { state: "settled", charged: 1000, upstream: "b", tried: triedOf(["a", outcome], ["b", "answered"]) }
            ])
          })
        )
      })
    )
  }

  const reset = socket((socket) => socket.once("data", () => socket.resetAndDestroy()))
  const half = socket((socket) => socket.once("data", () => socket.end("HTTP/1.1 200")))

  for (const [what, upstream, answered, state, outcome] of [
    ["answers 200", status(200, {}, '{"results":[]}'), 200, "settled", undefined],
    ["answers 200 with something else", status(200), 502, "released", undefined],
    ["answers 400", status(400), 400, "released", undefined],
    ["answers 404", status(404), 404, "released", undefined],
    ["answers 500", status(500), 500, "released", undefined],
    ["answers 503", status(503, { "retry-after": "1" }), 503, "released", undefined],
    ["redirects", status(307, { location: "/elsewhere" }), 503, "released", "redirected"],
    ["is silent", socket(() => {}), 502, "unknown", "timed out"],
    ["breaks off", reset, 502, "unknown", "broken off"],
    ["sends half an answer", half, 502, "unknown", "broken off"]
  ] as const) {
    it.live(`is not called when the first ${what}: the call is ${state}`, () =>
      Effect.gen(function* () {
        const { heard, port } = yield* upstream
        const other = yield* httpUpstream(ok)
        yield* through(
          [to(first(named("a", port, 1_000)), second(named("b", other.port)))],
          Effect.gen(function* () {
            expect((yield* rerank).status).toBe(answered)
            expect([heard(), other.received.length]).toEqual([1, 0])
            expect(yield* calls).toMatchObject([
              outcome === undefined
                ? { state, upstream: "a", tried: null }
                : { state, upstream: null, tried: triedOf(["a", outcome]) }
            ])
          })
        )
      })
    )
  }

  it.live("is called once, and none is called after an unknown outcome", () =>
    Effect.gen(function* () {
      const limited = yield* status(429)
      const silent = yield* socket(() => {})
      const idle = yield* httpUpstream(ok)
      yield* through(
        [
          to(
            first(named("a", limited.port)),
            { provider: named("b", silent.port, 1_000), weight: 1e6 },
            { provider: named("c", idle.port), weight: 1e-6 }
          )
        ],
        Effect.gen(function* () {
          const answer = yield* rerank
          expect([answer.status, codeOf(answer)]).toEqual([502, "upstream_timeout"])
          expect([limited.heard(), silent.heard(), idle.received.length]).toEqual([1, 1, 0])
          expect(yield* calls).toMatchObject([{ state: "unknown" }])
        })
      )
    })
  )
})

describe("when no upstream takes a call", () => {
  const refusedBy = (...upstreams: ReadonlyArray<Effect.Effect<{ readonly port: number }>>) =>
    Effect.gen(function* () {
      const ports = yield* Effect.all(upstreams)
      return yield* through(
        [to(...ports.map(({ port }, i) => second(named(String(i), port))))],
        Effect.map(Effect.all([rerank, calls]), ([answer, [call]]) => [
          answer.status,
          codeOf(answer),
          answer.headers["retry-after"],
          call?.state
        ])
      )
    })
  const closed = Effect.map(closedPort, (port) => ({ port }))

  for (let i = 0; i < 3; i++) {
    it.live(`the shortest Retry-After is returned, in any order (${i})`, () =>
      Effect.gen(function* () {
        const [long, short, middle] = yield* Effect.all([
          status(429, { "retry-after": "90" }),
          status(429, { "retry-after": "3" }),
          status(429, { "retry-after": "30" })
        ])
        const told = refusedBy(Effect.succeed(long), Effect.succeed(short), Effect.succeed(middle))
        expect(yield* told).toEqual([429, "upstream_rate_limit", "3", "released"])
        expect([long.heard(), short.heard(), middle.heard()]).toEqual([1, 1, 1])
      })
    )
  }

  it.live("a rate limit is reported before a lost connection, and that before a misconfiguration", () =>
    Effect.gen(function* () {
      const [limited, blocked] = yield* Effect.all([status(429, { "retry-after": "9" }), status(401)])
      const [limit, block] = [Effect.succeed(limited), Effect.succeed(blocked)]
      expect(yield* refusedBy(block, closed, limit)).toEqual([429, "upstream_rate_limit", "9", "released"])
      expect(yield* refusedBy(closed, block)).toEqual([502, "upstream_unreachable", undefined, "released"])
      expect(yield* refusedBy(block)).toEqual([503, "upstream_misconfigured", undefined, "released"])
    })
  )
})

describe("a route", () => {
  const chatWith = (model: string | undefined) =>
    ask("POST", "/v1/chat/completions", bearer, JSON.stringify({ model, messages: [], max_tokens: 5 }))

  it.live(
    "matches the exact model, then the longest prefix, then the operation, and sends the upstream's model name",
    () =>
      Effect.gen(function* () {
        const { port, received } = yield* httpUpstream((res) =>
          res.setHeader("content-type", "application/json").end('{"choices":[{"message":{"content":"Hi"}}]}')
        )
        const chat = (path: string, model?: string, alias?: string): Route => ({
          operation: "chat.completions",
          ...(model === undefined ? {} : { model }),
          to: [
            {
              provider: { ...named("p", port), protocol: "openai" },
              path,
              ...(alias ? { model: alias } : {}),
              weight: 1
            }
          ]
        })
        const routes = [
          chat("/any"),
          chat("/g", "g*"),
          chat("/gpt", "gpt-*", "their-gpt"),
          chat("/exact", "gpt-4", "four"),
          chat("/gp", "gp*")
        ]
        yield* through(
          routes,
          Effect.gen(function* () {
            for (const model of ["gpt-4", "gpt-4o", "gp", "gemma", "other"]) {
              expect((yield* chatWith(model)).status, model).toBe(200)
            }
          })
        )
        expect(received.map(({ body, url }) => [url, (JSON.parse(body) as { model: string }).model])).toEqual([
          ["/exact", "four"],
          ["/gpt", "their-gpt"],
          ["/gp", "gp"],
          ["/g", "gemma"],
          ["/any", "other"]
        ])
      })
  )

  it.live("that is missing for a model is an error, and nothing is charged", () =>
    Effect.gen(function* () {
      const { port, received } = yield* httpUpstream(ok)
      const only: Route = {
        operation: "chat.completions",
        model: "one",
        to: [{ provider: { ...named("p", port), protocol: "openai" }, weight: 1 }]
      }
      yield* through(
        [only],
        Effect.gen(function* () {
          const answer = yield* chatWith("two")
          expect([answer.status, codeOf(answer)]).toEqual([503, "upstream_misconfigured"])
          expect(answer.text).toContain("two")
          const none = yield* rerank
          expect([none.status, codeOf(none)]).toEqual([503, "upstream_misconfigured"])
          expect(yield* calls).toMatchObject([{ state: "released" }, { state: "released" }])
        })
      )
      expect(received).toEqual([])
    })
  )

  it("streams only successful answers; others are read whole first", () => {
    const protocol = { ...json, isStreamed: () => true }
    const { isStreamed } = outgoing({ exchange: exchange() }, first(named("p", 1)), protocol)
    const streamed = [200, 206, 299, 302, 401, 429, 500].filter((status) => isStreamed({ status, headers: {} }))
    expect(streamed).toEqual([200, 206, 299])
  })

  it.live("adds the upstream's headers and credential, never the caller's", () =>
    Effect.gen(function* () {
      const { port, received } = yield* httpUpstream(ok)
      const provider = { ...named("p", port), headers: { "x-organization": "org-1", accept: "application/x-theirs" } }
      yield* through([to(first(provider))], rerank)
      expect(received[0]?.headers).toMatchObject({ "x-organization": "org-1", accept: "application/x-theirs" })
      expect(received[0]?.headers.authorization).toMatch(/upstream-own-credential/)
      expect(received[0]?.raw).not.toContain(key)
    })
  )

  it.live("to a private address is refused unless the upstream is marked private", () =>
    Effect.gen(function* () {
      const { port, received } = yield* httpUpstream(ok)
      const answer = yield* through([to(first({ ...named("p", port), private: false }))], rerank)
      expect([answer.status, codeOf(answer)]).toEqual([502, "upstream_unreachable"])
      expect(received).toEqual([])
    })
  )
})

describe("of several upstreams", () => {
  const targets = [3, 1, 6].map((weight, i): Target => ({ provider: named(String(i), 1), weight }))

  it.effect("each is chosen in proportion to its weight", () =>
    Effect.gen(function* () {
      const counts = [0, 0, 0]
      for (let i = 0; i < 10_000; i++) {
        const chosen = choose(targets, yield* Random.next)
        counts[Number(chosen?.provider.name)]!++
      }
      counts.forEach((count, i) => expect(Math.abs(count / 1000 - [3, 1, 6][i]!)).toBeLessThan(0.2))
    }).pipe(Random.withSeed("weights"))
  )

  it("the lowest draw takes the first, the highest the last", () => {
    expect(choose(targets, 0)).toBe(targets[0])
    expect(choose(targets, 0.3)).toBe(targets[1])
    expect(choose(targets, 1 - 2 ** -53)).toBe(targets[2])
    expect(choose([], 0.5)).toBeUndefined()
  })
})

describe("an upstream's own request limit", () => {
  const answering = httpUpstream(ok)
  const limited = (name: string, port: number, rpm: number): Provider => ({ ...named(name, port), rpm })

  it.live("sends the calls beyond it to the next upstream of the route", () =>
    Effect.gen(function* () {
      const [small, other] = yield* Effect.all([answering, answering])
      yield* through(
        [to(first(limited("small", small.port, 2)), second(named("other", other.port)))],
        Effect.gen(function* () {
          for (let i = 0; i < 5; i++) expect((yield* rerank).status).toBe(200)
          expect([small.received.length, other.received.length]).toEqual([2, 3])
        })
      )
    })
  )

  it.live("counts the calls of all routes together, and refused calls cost nothing", () =>
    Effect.gen(function* () {
      const small = yield* answering
      const provider = limited("small", small.port, 2)
      const chat = ask(
        "POST",
        "/v1/chat/completions",
        bearer,
        '{"model":"m","messages":[{"role":"user","content":"a"}]}'
      )
      yield* through(
        [to(first(provider)), { operation: "chat.completions", to: [first(provider)] }],
        Effect.gen(function* () {
          expect([(yield* rerank).status, (yield* chat).status]).toEqual([200, 200])
          const refused = yield* rerank
          expect([refused.status, codeOf(refused)]).toEqual([429, "upstream_rate_limit"])
          const wait = Number(refused.headers["retry-after"])
          expect(wait).toBeGreaterThan(25)
          expect(wait).toBeLessThanOrEqual(30)
          expect(small.received.length).toBe(2)
          expect((yield* calls).map(({ state }) => state)).toEqual(["settled", "settled", "released"])
        })
      )
    })
  )
})
