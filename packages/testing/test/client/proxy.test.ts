import { afterEach, describe, expect, it, vi } from "@effect/vitest"
import { chatCompletionsStream, type Client, type Options, rerank, textOf } from "@tollgate/client"
import { createClient, NodeClient } from "@tollgate/node/effect"
import { Host, key, TestGateway } from "@tollgate/testing"
import { type Behaviour, startProxy } from "@tollgate/testing/client/proxy"
import { calls, priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Agent } from "undici"

afterEach(() => {
  vi.unstubAllEnvs()
})

const question = { query: "longest river", documents: ["A mountain.", "The longest river."] } as const
const gateway = Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" })))

const gatewayPort = Effect.map(Host, ({ baseUrl }) => Number(new URL(baseUrl).port))

/** Nobody resolves this name: only the proxy can connect. */
const baseUrl = "http://gateway.invalid:8787"

const run = <A, E>(effect: Effect.Effect<A, E, Client>, options: Options = {}) =>
  Effect.provide(effect, NodeClient.layer({ credential: key, baseUrl, retry: { retries: 0 }, ...options }), {
    local: true
  })

const throughProxy = (behaviour: Behaviour, names = ["HTTP_PROXY"]) =>
  Effect.tap(startProxy(behaviour), ({ url }) => Effect.sync(() => names.forEach((name) => vi.stubEnv(name, url))))

describe("a proxy of the environment", () => {
  for (const name of ["HTTP_PROXY", "http_proxy"])
    it.live(`passes calls and streams on (${name})`, () =>
      Effect.gen(function* () {
        const { asked } = yield* throughProxy({ port: yield* gatewayPort }, [name])
        const body = { model: "sandbox", messages: [{ role: "user" as const, content: "Why do rivers bend?" }] }
        const both = Effect.all([rerank(question), Stream.mkString(Stream.map(chatCompletionsStream(body), textOf))])
        const [{ results }, text] = yield* run(both)
        expect([results.length, text.length > 20]).toEqual([2, true])
        expect([...new Set(asked.map(({ to }) => to))]).toEqual(["gateway.invalid:8787"])
      }).pipe(Effect.provide(gateway))
    )

  it.live("gets the credentials in its address, and never the client's", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* startProxy({ port: yield* gatewayPort })
      vi.stubEnv("HTTP_PROXY", url.replace("//", "//me:pass%20word@"))
      yield* run(rerank(question))
      expect(asked).toEqual([
        { to: "gateway.invalid:8787", authorization: `Basic ${Buffer.from("me:pass word").toString("base64")}` }
      ])
    }).pipe(Effect.provide(gateway))
  )

  it.live("is not used for hosts of NO_PROXY, nor for this machine", () =>
    Effect.gen(function* () {
      const { baseUrl: direct } = yield* Host
      const { asked } = yield* throughProxy({ status: 502 })
      yield* run(rerank(question), { baseUrl: direct })
      for (const hosts of ["invalid", "*", "example.com, .invalid"]) {
        vi.stubEnv("NO_PROXY", hosts)
        expect(yield* Effect.flip(run(rerank(question)))).toMatchObject({ _tag: "TransportFailed" })
      }
      expect(asked).toEqual([])
    }).pipe(Effect.provide(gateway))
  )

  for (const behaviour of [{ status: 407 }, { status: 502 }, "hang up"] as const)
    it.live(`that refuses the tunnel has sent nothing (${JSON.stringify(behaviour)})`, () =>
      Effect.gen(function* () {
        const { asked } = yield* throughProxy(behaviour)
        const error = yield* Effect.flip(run(rerank(question)))
        expect(error).toMatchObject({ _tag: "TransportFailed", outcome: "not executed" })
        expect(asked).toHaveLength(1)
      }).pipe(Effect.provide(gateway))
    )

  it.live("that does not answer, or is not there, has sent nothing", () =>
    Effect.gen(function* () {
      yield* throughProxy("silent")
      const late = yield* Effect.flip(run(rerank(question), { timeout: "300 millis" }))
      expect(late).toMatchObject({ _tag: "TransportFailed", outcome: "not executed" })
      vi.stubEnv("HTTP_PROXY", "http://127.0.0.1:1")
      const absent = yield* Effect.flip(run(rerank(question)))
      expect(absent).toMatchObject({ _tag: "TransportFailed", outcome: "not executed" })
    }).pipe(Effect.provide(gateway))
  )

  it.live("that cuts the tunnel leaves the outcome unknown, and the call is made once", () =>
    Effect.gen(function* () {
      yield* throughProxy({ port: yield* gatewayPort, cutAfterBytes: 10 })
      const error = yield* Effect.flip(run(rerank(question)))
      expect(error).toMatchObject({ _tag: "OutcomeUnknown", outcome: "unknown", idempotencyKey: expect.any(String) })
      expect(yield* calls).toHaveLength(1)
    }).pipe(Effect.provide(gateway))
  )
})

describe("options of the transport on Node", () => {
  it.live("a proxy, also for this machine's own addresses", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* startProxy({ port: yield* gatewayPort })
      const local = yield* Host
      for (const to of [baseUrl, local.baseUrl]) {
        const client = createClient({ credential: key, baseUrl: to, proxy: url })
        expect((yield* Effect.promise(() => client.rerank(question))).results).toHaveLength(2)
        yield* Effect.promise(() => client.close())
      }
      expect(asked.map(({ to }) => to)).toEqual([baseUrl, local.baseUrl].map((address) => new URL(address).host))
    }).pipe(Effect.provide(gateway))
  )

  it.live("a dispatcher, which stays open, and a fetch", () =>
    Effect.gen(function* () {
      const options = { credential: key, baseUrl: (yield* Host).baseUrl }
      const agent = new Agent()
      let dispatched = 0
      const dispatcher = agent.compose((dispatch) => (...request) => {
        dispatched++
        return dispatch(...request)
      })
      for (const _ of [1, 2]) {
        const client = createClient({ ...options, dispatcher })
        yield* Effect.promise(() => client.rerank(question))
        yield* Effect.promise(() => client.close())
      }
      expect([dispatched, agent.closed, agent.destroyed]).toEqual([2, false, false])
      yield* Effect.promise(() => agent.close())
      const asked: Array<string> = []
      const own = createClient({
        ...options,
        fetch: (url: string, init: RequestInit) => {
          asked.push(url)
          return fetch(url, init)
        }
      })
      yield* Effect.promise(() => own.rerank(question))
      yield* Effect.promise(() => own.close())
      expect(asked).toEqual([`${options.baseUrl}/v1/rerank`])
    }).pipe(Effect.provide(gateway))
  )
})
