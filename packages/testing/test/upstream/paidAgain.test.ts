import { describe, expect, it } from "@effect/vitest"
import { usd } from "@tollgate/contract/Money"
import type { Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import type { Route, Target } from "@tollgate/gateway/upstream/Route"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask, question } from "@tollgate/testing/ask"
import { calls, reservedTotal } from "@tollgate/testing/models"
import { httpUpstream, providerAt, tcpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Layer from "effect/Layer"

const bearer = { authorization: `Bearer ${key}` }
const price = { contract: "per_request", amount: usd("0.001") } as const

/** Upstreams charge half of that. */
const prices = { of: () => ({ contract: "per_request", amount: usd("0.0005") }) as const }

const priced: ReadonlyArray<Operation> = operations.map((operation) =>
  operation.id === "rerank" || operation.id === "social_a.follow" ? { ...operation, price } : operation
)

const good = httpUpstream((res) =>
  res.setHeader("content-type", "application/json").end('{"results":[],"usage":{"total_tokens":1000}}')
)
const status = (code: number, body = '{"error":"x"}') => httpUpstream((res) => res.writeHead(code).end(body))
const silent = tcpUpstream(() => {})
const cut = tcpUpstream((socket) => socket.once("data", () => socket.end("HTTP/1.1 200")))

const at = (name: string, { port }: { readonly port: number }): Target => ({
  provider: { ...providerAt(port, 500), name, prices },
  weight: name === "a" ? 1e12 : 1
})

const through = <A, E>(
  targets: ReadonlyArray<Target>,
  { paidAgain }: Pick<Route, "paidAgain">,
  effect: Effect.Effect<A, E, Host | TestGateway>
) => {
  const routes = [{ operation: "rerank", to: targets, ...(paidAgain && { paidAgain }) }]
  return effect.pipe(
    Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ routes, operations: priced }))))
  )
}

const header = "x-tollgate-paid-again"
const rerank = (headers: Record<string, string> = {}) => ask("POST", "/v1/rerank", { ...bearer, ...headers }, question)
const triedOf = (...tried: ReadonlyArray<readonly [upstream: string, outcome: string]>): string =>
  JSON.stringify(tried.map(([upstream, outcome]) => ({ upstream, outcome })))

const failures = [
  ["answers 500", status(500), 500, "released", "failed"],
  ["answers 503", status(503), 503, "released", "failed"],
  ["is silent", silent, 502, "unknown", "timed out"],
  ["breaks off", cut, 502, "unknown", "broken off"]
] as const

describe("a call that may have run", () => {
  for (const [what, upstream, answered, state, outcome] of failures) {
    it.live(`is sent once more elsewhere, with the route's leave, when its upstream ${what}`, () =>
      Effect.gen(function* () {
        const [first, second] = yield* Effect.all([upstream, good])
        yield* through(
          [at("a", first), at("b", second)],
          { paidAgain: "once" },
          Effect.gen(function* () {
            const answer = yield* rerank()
            expect([answer.status, answer.headers["x-tollgate-cost-micros-usd"]]).toEqual([200, "1000"])
            // The caller sees which upstream may have been paid as well.
            expect(answer.headers[header]).toBe("a")
            expect(second.received).toHaveLength(1)
            expect(yield* calls).toMatchObject([
              {
                state: "settled",
                charged: 1000,
                // Nobody knows what the first attempt costs, so nobody knows what both do.
                cost_nano: null,
                upstream: "b",
                tried: triedOf(["a", outcome], ["b", "answered"])
              }
            ])
            expect(yield* reservedTotal).toBe(0)
          })
        )
      }).pipe(Effect.scoped)
    )

    for (const [leave, route, headers] of [
      ["without leave", {}, {}],
      ["if the route forbids what the caller asks for", { paidAgain: "never" }, { [header]: "once" }],
      ["if the caller forbids what the route allows", { paidAgain: "once" }, { [header]: "never" }]
    ] as const) {
      it.live(`is not sent again ${leave}, when its upstream ${what}`, () =>
        Effect.gen(function* () {
          const [first, second] = yield* Effect.all([upstream, good])
          yield* through(
            [at("a", first), at("b", second)],
            route,
            Effect.gen(function* () {
              const answer = yield* rerank(headers)
              expect([answer.status, answer.headers[header]]).toEqual([answered, undefined])
              expect(second.received).toHaveLength(0)
              expect(yield* calls).toMatchObject([{ state, charged: 0 }])
            })
          )
        }).pipe(Effect.scoped)
      )
    }

    for (const [refusal, refusing, why] of [
      ["429", status(429), "rate limited"],
      ["a redirect", httpUpstream((res) => res.writeHead(307, { location: "/" }).end()), "redirected"]
    ] as const) {
      it.live(`ends as its first attempt did if the next answers ${refusal}, when its upstream ${what}`, () =>
        Effect.gen(function* () {
          const [first, second] = yield* Effect.all([upstream, refusing])
          yield* through(
            [at("a", first), at("b", second)],
            { paidAgain: "once" },
            Effect.gen(function* () {
              const answer = yield* rerank({ "idempotency-key": "k" })
              expect([answer.status, answer.headers[header]]).toEqual([answered, undefined])
              expect(second.received).toHaveLength(1)
              const tried = [
                ["a", outcome],
                ["b", why]
              ] as const
              expect(yield* calls).toMatchObject([{ state, charged: 0, tried: triedOf(...tried) }])
              expect(yield* reservedTotal).toBe(0)
              // A key whose call may have run is not free for another.
              const again = yield* rerank({ "idempotency-key": "k" })
              expect(again.status).toBe(state === "unknown" ? 409 : answered)
            })
          )
        }).pipe(Effect.scoped)
      )
    }

    it.live(`is sent a second time, never a third, when its upstreams are like one that ${what}`, () =>
      Effect.gen(function* () {
        const [first, second, third] = yield* Effect.all([upstream, upstream, good])
        const last = { ...at("c", third), weight: 1e-12 }
        yield* through(
          [at("a", first), at("b", second), last],
          { paidAgain: "once" },
          Effect.gen(function* () {
            expect((yield* rerank()).status).toBe(answered)
            expect(third.received).toHaveLength(0)
            expect(yield* calls).toMatchObject([{ state, charged: 0 }])
          })
        )
      }).pipe(Effect.scoped)
    )
  }

  it.live("is sent once more with the caller's leave, within the cap", () =>
    Effect.gen(function* () {
      const [first, second] = yield* Effect.all([silent, good])
      yield* through(
        [at("a", first), at("b", second)],
        {},
        Effect.gen(function* () {
          const answer = yield* rerank({ [header]: "once", "x-tollgate-max-price-usd": "0.001" })
          expect([answer.status, answer.headers[header]]).toEqual([200, "a"])
          expect(yield* calls).toMatchObject([{ charged: 1000, cap: 1000 }])
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("is refused if the header says anything else", () =>
    Effect.gen(function* () {
      const first = yield* good
      yield* through(
        [at("a", first)],
        {},
        Effect.gen(function* () {
          const answer = yield* rerank({ [header]: "twice" })
          expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("X-Tollgate-Paid-Again")])
          expect(first.received).toHaveLength(0)
          expect(yield* calls).toEqual([])
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("and creates something is never sent again", () =>
    Effect.gen(function* () {
      const [first, second] = yield* Effect.all([status(500), good])
      const route = { operation: "images.generate", to: [at("a", first), at("b", second)], paidAgain: "once" } as const
      const create = operations.map((operation) =>
        operation.id === "images.generate" ? { ...operation, price, replay: "create" as const } : operation
      )
      const bindings = { "images.generate": { path: "/v1/images/generations" } }
      yield* Effect.gen(function* () {
        const answer = yield* ask("POST", "/v1/images/generations", { ...bearer, [header]: "once" }, '{"prompt":"x"}')
        expect([answer.status, first.received.length, second.received.length]).toEqual([500, 1, 0])
      }).pipe(
        Effect.provide(
          Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ routes: [route], operations: create, bindings })))
        )
      )
    }).pipe(Effect.scoped)
  )

  it.live("is unknown, not free to repeat, if its caller leaves while it waits for the second upstream", () =>
    Effect.gen(function* () {
      const [first, second] = yield* Effect.all([silent, silent])
      const narrow = at("b", second)
      const targets = [at("a", first), { ...narrow, provider: { ...narrow.provider, connections: 1 } }]
      yield* through(
        targets,
        { paidAgain: "once" },
        Effect.gen(function* () {
          // Holds the only connection of the second upstream. Both give up after half a second each.
          const [one, two] = yield* Effect.all([
            Effect.forkChild(rerank({ "idempotency-key": "one" })),
            Effect.forkChild(rerank({ "idempotency-key": "two" }))
          ])
          yield* Effect.sleep("750 millis")
          yield* Fiber.interrupt(two)
          yield* Fiber.join(one)
          const states = Effect.map(calls, (all) => all.map(({ state }) => state))
          yield* Effect.repeat(states, {
            until: (all) => !all.includes("open"),
            schedule: Schedule.spaced("50 millis")
          })
          expect(yield* states).toEqual(["unknown", "unknown"])
          expect((yield* rerank({ "idempotency-key": "two" })).status).toBe(409)
        })
      )
    }).pipe(Effect.scoped)
  )
})
