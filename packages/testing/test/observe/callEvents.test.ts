import { describe, expect, it } from "@effect/vitest"
import { OnCallEnded } from "@tollgate/gateway"
import { Host, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { providerAt, servedTo } from "@tollgate/testing/hostile/Served"
import { calls, priced, streams } from "@tollgate/testing/models"
import { recorded } from "@tollgate/testing/observe/Recorded"
import { key } from "@tollgate/testing/TestGateway"
import { callTool } from "@tollgate/testing/tools/agent"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { request } from "node:http"

type Body = (log: ReturnType<typeof recorded>) => Effect.Effect<unknown, unknown, Host | TestGateway>

const test = (name: string, body: Body, limits = false) =>
  it.live(name, () => {
    const log = recorded()
    const host = Host.layerNode.pipe(
      Layer.provideMerge(TestGateway.layer({ operations: priced, limits, sandbox: "all" })),
      Layer.provide(log.layer)
    )
    return Effect.provide(body(log), host)
  })

/** Long enough to cost something. */
const question = JSON.stringify({ query: "q", documents: ["a", "river ".repeat(10_000)] })
const reranked = JSON.stringify({ model: "m", results: [], usage: { total_tokens: 1_000 } })

const bearer = { authorization: `Bearer ${key}` }
const scenario = (text: string) => ({ "x-tollgate-scenario": text })
const rerank = (headers: Readonly<Record<string, string>> = bearer) => ask("POST", "/v1/rerank", headers, question)
const stream = (headers: Readonly<Record<string, string>> = {}) =>
  ask("POST", streams.openai.path, { ...bearer, ...headers }, streams.openai.body("Why do rivers bend?"))

/** Reads one chunk of a stream and disconnects. */
const leave = Effect.flatMap(Host, ({ baseUrl }) =>
  Effect.callback<void>((resume) => {
    const req = request(`${baseUrl}${streams.openai.path}`, {
      method: "POST",
      headers: { ...bearer, ...scenario("interval; ms=20"), "content-type": "application/json" }
    })
    req.on("error", () => {})
    req.on("response", (res) => {
      res.on("error", () => {})
      res.once("data", () => {
        req.destroy()
        resume(Effect.void)
      })
    })
    req.end(streams.openai.body("Why do rivers bend?"))
  })
)

describe("each call that ends is told once", () => {
  test("with the tags that the caller sent", (log) =>
    Effect.gen(function* () {
      yield* rerank({ ...bearer, "x-tollgate-tags": "team=search" })
      expect((yield* log.next(1)).tags).toEqual({ team: "search" })
      yield* rerank()
      expect((yield* log.next(2)).tags).toBeUndefined()
    }))

  test("a whole answer, with what the ledger charged", (log) =>
    Effect.gen(function* () {
      const answer = yield* rerank()
      const event = yield* log.next(1)
      const [call] = yield* calls
      expect(event).toMatchObject({
        kind: "call",
        requestId: answer.headers["x-request-id"],
        via: "http",
        operation: "rerank",
        upstream: "sandbox",
        tried: undefined,
        status: 200,
        code: undefined,
        outcome: "executed",
        costState: "settled",
        charge: BigInt(call!.charged),
        value: BigInt(call!.charged),
        loss: 0n,
        streamed: false,
        replayed: false
      })
      expect(call!.charged).toBeGreaterThan(0)
      expect(event.firstByteMillis).toBe(event.durationMillis)
      expect(event.tokens.input).toBe(call!.input_tokens)
      expect(log.events).toHaveLength(1)
      expect(Object.values(event).join()).not.toContain(key)
    }))

  test("a stream, when it is settled", (log) =>
    Effect.gen(function* () {
      yield* stream()
      const event = yield* log.next(1)
      const [call] = yield* calls
      expect(event).toMatchObject({
        operation: "chat.completions",
        model: "sandbox",
        status: 200,
        streamed: true,
        costState: "settled",
        charge: BigInt(call!.charged),
        tokens: { input: call!.input_tokens, output: call!.output_tokens, cacheRead: 0, cacheWrite: 0 }
      })
      expect(event.firstByteMillis).toBeLessThanOrEqual(event.durationMillis)
      expect(log.events).toHaveLength(1)
    }))

  test("a stream that breaks, by its reason and the status that its caller got", (log) =>
    Effect.gen(function* () {
      yield* stream(scenario("reset; after=4"))
      expect(yield* log.next(1)).toMatchObject({ status: 200, code: "upstream_failed", streamed: true })
      expect(log.events).toHaveLength(1)
    }))

  test("a stream whose caller leaves", (log) =>
    Effect.gen(function* () {
      yield* leave
      const event = yield* log.next(1)
      expect(event).toMatchObject({ status: 200, code: "caller_left", streamed: true, outcome: "executed" })
      expect(event.charge).toBe(BigInt((yield* calls)[0]!.charged))
      expect(log.events).toHaveLength(1)
    }))

  test("a refusal, an unknown path and a failure of the upstream", (log) =>
    Effect.gen(function* () {
      yield* rerank({})
      yield* ask("GET", "/v1/nothing", bearer)
      yield* ask("POST", "/v1/rerank", bearer, "{")
      yield* rerank({ ...bearer, ...scenario("status; code=500") })
      expect(log.events.map(({ code, operation, outcome, status }) => [operation, status, code, outcome])).toEqual([
        ["rerank", 401, "missing_credential", "not executed"],
        [undefined, 404, "route_not_found", "not executed"],
        ["rerank", 400, "invalid_request", "not executed"],
        ["rerank", 500, undefined, "executed"]
      ])
      expect(log.events.map(({ charge }) => charge)).toEqual([0n, 0n, 0n, 0n])
    }))

  test("a refusal by a limit, with the kind of the limit", (log) =>
    Effect.gen(function* () {
      yield* rerank({ ...bearer, "x-tollgate-max-price-usd": "0.000001" })
      for (let i = 0; i < 200 && log.events.at(-1)?.code !== "rate_limit_exceeded"; i++) {
        yield* rerank({ authorization: `Bearer wrong-${i}` })
      }
      expect(log.events.map(({ limit }) => limit).filter((limit) => limit !== undefined)).toEqual([
        "cap",
        "wrong_credentials"
      ])
    }))

  test("a quote and a replay, which cost nothing", (log) =>
    Effect.gen(function* () {
      const keyed = { ...bearer, "idempotency-key": "once", "x-tollgate-idempotency-mode": "replay" }
      yield* rerank({ ...bearer, "x-tollgate-cost-mode": "quote" })
      yield* rerank(keyed)
      yield* rerank(keyed)
      expect(log.events.map(({ charge, kind, replayed }) => [kind, replayed, charge > 0n])).toEqual([
        ["quote", false, false],
        ["call", false, true],
        ["call", true, false]
      ])
    }))

  it.live("a call of a tool", () =>
    Effect.gen(function* () {
      const log = recorded()
      const upstream = yield* httpUpstream((res) =>
        res.writeHead(200, { "content-type": "application/json" }).end(reranked)
      )
      const served = servedTo({ rerank: providerAt(upstream.port, { protocol: "json" }) })
      yield* callTool("use", {
        operation_id: "rerank",
        arguments: { query: "q", documents: ["a"] },
        max_price_usd: 1
      }).pipe(Effect.provide(Layer.provide(served, log.layer)))
      expect(log.events.map(({ charge, via, operation }) => [via, operation, charge])).toEqual([
        ["tools", "rerank", 50n]
      ])
    }).pipe(Effect.scoped)
  )
})

it.live("a listener that fails does not fail the call, or the other listeners", () => {
  const log = recorded()
  const failing = Layer.succeed(OnCallEnded, [
    () => {
      throw new Error("broken")
    },
    (event) => void log.events.push(event)
  ])
  const host = Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer()), Layer.provide(failing))
  return Effect.gen(function* () {
    expect((yield* rerank()).status).toBe(200)
    expect(log.events).toHaveLength(1)
  }).pipe(Effect.provide(host))
})
