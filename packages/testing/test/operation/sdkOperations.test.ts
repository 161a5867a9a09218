import { describe, expect, it } from "@effect/vitest"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { calls, priced } from "@tollgate/testing/models"
import { httpUpstream, providerAt } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const bearer = { authorization: `Bearer ${key}` }
const quoting = { ...bearer, "x-tollgate-cost-mode": "quote" }
const anthropic = { "x-api-key": key, "anthropic-version": "2023-06-01" }

const host = Host.layerNode.pipe(
  Layer.provideMerge(TestGateway.layer({ operations: priced, limits: true, sandbox: "all" }))
)
const test = (name: string, effect: () => Effect.Effect<unknown, unknown, Host | TestGateway>) =>
  it.live(name, () => Effect.provide(effect(), host))

const json = (value: unknown) => JSON.stringify(value)

interface Read {
  readonly basis: string
  readonly estimate_micros_usd: number
  readonly max_micros_usd: number
  readonly error: { readonly param: string }
  readonly meta: { readonly billed_units: unknown }
  readonly type: string
}
const read = ({ text }: { readonly text: string }) => JSON.parse(text) as Read

describe("embeddings", () => {
  const body = (more: object) => json({ model: "sandbox", input: "a river", dimensions: 4, ...more })

  test("cost what their input costs, also if the upstream reports no usage", () =>
    Effect.gen(function* () {
      const answer = yield* ask("POST", "/v1/embeddings", bearer, body({}))
      expect([answer.status, answer.headers["x-tollgate-cost-micros-usd"]]).toEqual([200, "6"])
      const hidden = { ...bearer, "x-tollgate-scenario": "no-usage" }
      const counted = yield* ask("POST", "/v1/embeddings", hidden, body({ input: [[1, 2, 3], [4]] }))
      expect(counted.headers["x-tollgate-cost-state"]).toBe("estimated")
      expect(yield* calls).toMatchObject([
        { input_tokens: 2, output_tokens: 0, cost_state: "settled" },
        { output_tokens: 0, cost_state: "estimated" }
      ])
    }))

  test("a quote counts tokens that are given as numbers, and no output", () =>
    Effect.gen(function* () {
      const input = Array.from({ length: 10_000 }, (_, index) => index)
      const quote = yield* ask("POST", "/v1/embeddings", quoting, body({ input }))
      const { basis, estimate_micros_usd, max_micros_usd } = read(quote)
      expect(estimate_micros_usd).toBeGreaterThanOrEqual(30_000)
      expect(max_micros_usd).toBeLessThan(51_000)
      expect(basis).not.toContain("output")
    }))

  test("a cap that does not pay for the input refuses the call", () =>
    Effect.gen(function* () {
      const capped = { ...bearer, "x-tollgate-max-price-usd": "0.000001" }
      expect((yield* ask("POST", "/v1/embeddings", capped, body({}))).status).toBe(402)
      const paid = { ...bearer, "x-tollgate-max-price-usd": "0.001" }
      expect((yield* ask("POST", "/v1/embeddings", paid, body({}))).status).toBe(200)
    }))

  test("what is malformed is refused, and costs nothing", () =>
    Effect.gen(function* () {
      const wrong = [{ input: 5 }, { input: [1, "a"] }, { input: "" }, { input: [] }, { dimensions: 0 }, { model: 1 }]
      for (const more of [...wrong, { encoding_format: "int8" }, { input: Array(2_049).fill("a") }]) {
        const answer = yield* ask("POST", "/v1/embeddings", bearer, body(more))
        expect([json(more).slice(0, 60), answer.status, read(answer).error.param]).toEqual([
          json(more).slice(0, 60),
          400,
          expect.any(String)
        ])
      }
      for (const { charged } of yield* calls) expect(charged).toBe(0)
    }))
})

describe("ranking in the Cohere format", () => {
  const body = (documents: ReadonlyArray<string>, more = {}) =>
    json({ model: "rerank", query: "river", documents, ...more })

  test("costs its search units: those that are reported, or else those that are asked for", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 250 }, (_, index) => `document ${index}`)
      const answer = yield* ask("POST", "/v2/rerank", bearer, body(many))
      expect(read(answer).meta.billed_units).toEqual({ search_units: 3 })
      expect(answer.headers["x-tollgate-cost-micros-usd"]).toBe("6000")
      const hidden = { ...bearer, "x-tollgate-scenario": "no-usage" }
      const counted = yield* ask("POST", "/v2/rerank", hidden, body(many))
      expect(counted.text).not.toContain("meta")
      expect([counted.headers["x-tollgate-cost-micros-usd"], counted.headers["x-tollgate-cost-state"]]).toEqual([
        "6000",
        "estimated"
      ])
    }))

  test("a quote follows the documents", () =>
    Effect.gen(function* () {
      const quote = (documents: ReadonlyArray<string>) =>
        Effect.map(ask("POST", "/v2/rerank", quoting, body(documents)), read)
      expect(yield* quote(["a", "b"])).toMatchObject({ estimate_micros_usd: 2_000, max_micros_usd: 2_000 })
      expect(yield* quote(Array(101).fill("a"))).toMatchObject({ estimate_micros_usd: 4_000, max_micros_usd: 4_000 })
      const long = yield* quote(Array(60).fill("word ".repeat(300)))
      expect(long.max_micros_usd).toBeGreaterThan(long.estimate_micros_usd)
    }))
})

describe("the model of a name", () => {
  test("is answered in the format of the SDK that asks, for nothing", () =>
    Effect.gen(function* () {
      const openai = yield* ask("GET", "/v1/models/sandbox", bearer)
      expect(openai.json()).toEqual({ id: "sandbox", object: "model", created: 0, owned_by: "sandbox" })
      const claude = yield* ask("GET", "/v1/models/sandbox", anthropic)
      expect(claude.json()).toMatchObject({ type: "model", id: "sandbox", display_name: "sandbox" })
      expect(claude.headers["request-id"]).toMatch(/^req_/)
      // The video model answers no messages.
      expect((yield* ask("GET", "/v1/models/sandbox-video", bearer)).status).toBe(200)
      expect((yield* ask("GET", "/v1/models/sandbox-video", anthropic)).status).toBe(404)
      for (const path of ["/v1/models/no%2Fsuch", "/v1/models/__proto__", "/v1/models/%00"])
        expect((yield* ask("GET", path, bearer)).status, path).toBe(404)
      expect(yield* calls).toEqual([])
    }))
})

describe("counting tokens", () => {
  const body = json({ model: "sandbox", messages: [{ role: "user", content: "Why do rivers bend?" }] })

  /** A gateway whose messages go to an upstream, under another path and name of the model. */
  const gatewayTo = Effect.fnUntraced(function* (own?: string) {
    const { port, received } = yield* httpUpstream((res) =>
      res.writeHead(200, { "content-type": "application/json" }).end(json({ input_tokens: 9 }))
    )
    const target = { provider: { ...providerAt(port), protocol: "anthropic" }, weight: 1 }
    const routes = [
      { operation: "messages", model: "sandbox", to: [{ ...target, model: "up", path: "/claude/v1/messages" }] },
      ...(own === undefined ? [] : [{ operation: "messages.count_tokens", to: [{ ...target, path: own }] }])
    ]
    const gateway = TestGateway.layer({ operations: priced, routes, limits: true })
    return { received, layer: Host.layerNode.pipe(Layer.provideMerge(gateway)) }
  })

  it.live("goes where messages of the model go, unless it has a route of its own", () =>
    Effect.gen(function* () {
      for (const [own, path, model] of [
        [undefined, "/claude/v1/messages/count_tokens", "up"],
        ["/count", "/count", "sandbox"]
      ] as const) {
        const { layer, received } = yield* gatewayTo(own)
        const answer = yield* Effect.provide(ask("POST", "/v1/messages/count_tokens", anthropic, body), layer)
        expect([answer.status, answer.json()]).toEqual([200, { input_tokens: 9 }])
        expect(received).toMatchObject([{ url: path, headers: { "anthropic-version": "2023-06-01" } }])
        expect(JSON.parse(received[0]!.body)).toMatchObject({ model })
        expect(json(received)).not.toContain(key)
      }
    }).pipe(Effect.scoped)
  )

  test("costs nothing and needs no balance, but counts towards the limits", () =>
    Effect.gen(function* () {
      const answer = yield* ask("POST", "/v1/messages/count_tokens", anthropic, body)
      expect(answer.headers["x-tollgate-cost-state"]).toBe("none")
      expect(yield* calls).toEqual([])
      expect(Number(answer.headers["x-ratelimit-remaining-requests"])).toBeLessThan(
        Number(answer.headers["x-ratelimit-limit-requests"])
      )
      const none = yield* ask("POST", "/v1/messages/count_tokens", anthropic, json({ model: "none", messages: [] }))
      expect([none.status, read(none).type]).toEqual([400, "error"])
    }))
})
