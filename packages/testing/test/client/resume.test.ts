import { describe, expect, it } from "@effect/vitest"
import {
  CallAborted,
  chatCompletions,
  chatCompletionsStream,
  type Client,
  OutcomeUnknown,
  rerank,
  resume,
  videoCreate,
  withResponse
} from "@tollgate/client"
import { createClient, NodeClient } from "@tollgate/node/effect"
import { Host, key, TestGateway } from "@tollgate/testing"
import { type Dropping, dropping } from "@tollgate/testing/client/dropping"
import { calls, priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const question = { query: "river mountain sea", documents: ["river mountain sea shore ".repeat(50)] } as const
const chat = { model: "sandbox", messages: [{ role: "user" as const, content: "Why do rivers bend?" }] }
const stream = chatCompletionsStream(chat)

/** What the gateway has charged, and how often the upstream was called. */
const charges = Effect.gen(function* () {
  const charged = (yield* calls).filter((call) => Number(call.charged) > 0).length
  return { charged, billed: yield* (yield* TestGateway).billingLog.count }
})

/** A client behind a proxy that drops every answer. */
const lossy = <A, E>(test: (proxy: Dropping) => Effect.Effect<A, E, Client | TestGateway>) =>
  Effect.gen(function* () {
    const proxy = yield* dropping((yield* Host).baseUrl)
    const client = NodeClient.layer({ credential: key, baseUrl: proxy.baseUrl, retry: { backoffMillis: 1 } })
    return yield* test(proxy).pipe(Effect.provide(client))
  }).pipe(
    Effect.scoped,
    Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" }))))
  )

const unknownOf = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(call), (error) => {
    if (!(error instanceof OutcomeUnknown)) throw error
    return error
  })

describe("an app that resumes when every answer was dropped pays once", () => {
  for (const [name, call, again, sends] of [
    ["rerank", rerank(question), (error: OutcomeUnknown) => resume(rerank, error), 4],
    ["chat", chatCompletions(chat), (error: OutcomeUnknown) => resume(chatCompletions, error), 4]
  ] as const) {
    it.live(name, () =>
      lossy((proxy) =>
        Effect.gen(function* () {
          const error = yield* unknownOf<unknown, unknown, Client>(call)
          expect([proxy.dropped(), typeof error.idempotencyKey]).toEqual([sends, "string"])
          expect(yield* charges).toEqual({ charged: 1, billed: 1 })
          proxy.pass()
          const resumed = yield* withResponse(again(error) as Effect.Effect<unknown, unknown, Client>)
          const micros = Number((yield* calls).find(({ state }) => state === "settled")?.charged)
          expect(micros).toBeGreaterThan(0)
          expect(resumed).toMatchObject({
            status: 200,
            replayed: true,
            cost: { state: "settled", micros }
          })
          expect(yield* charges).toEqual({ charged: 1, billed: 1 })
        })
      )
    )
  }

  it.live("a video, which is not retried", () =>
    lossy((proxy) =>
      Effect.gen(function* () {
        const error = yield* unknownOf(videoCreate({ model: "sandbox-video", input: { prompt: "a river" } }))
        expect(proxy.dropped()).toBe(1)
        proxy.pass()
        const { output } = yield* resume(videoCreate, error)
        expect(output.task_id).not.toBe("")
        expect((yield* calls).filter(({ state }) => state !== "replayed")).toHaveLength(1)
      })
    )
  )

  it.live("a stream, which says that it ran", () =>
    lossy((proxy) =>
      Effect.gen(function* () {
        const error = yield* unknownOf(Stream.runDrain(stream))
        expect(proxy.dropped()).toBe(1)
        proxy.pass()
        const resumed = yield* Effect.flip(Stream.runDrain(resume(chatCompletionsStream, error)))
        expect(resumed).toMatchObject({ _tag: "Conflict", code: "idempotency_completed", outcome: "executed" })
        expect(yield* charges).toEqual({ charged: 1, billed: 1 })
      })
    )
  )

  it.live("a call whose attempts are too short for it, which waits for the first", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      let sent = 0
      const client = NodeClient.layer({
        credential: key,
        baseUrl,
        attemptTimeout: "1 second",
        retries: 20,
        beforeRequest: () => void sent++
      })
      const call = chatCompletions(chat, { scenario: "slow; ms=3000" })
      const { cost } = yield* withResponse(call.pipe(Effect.provide(client)))
      expect([cost.state, sent > 1]).toEqual(["settled", true])
      expect(yield* charges).toEqual({ charged: 1, billed: 1 })
    }).pipe(
      Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" }))))
    )
  )

  it.live("with promises, after an abort", () =>
    lossy((proxy) =>
      Effect.gen(function* () {
        const client = createClient({ credential: key, baseUrl: proxy.baseUrl, retry: { backoffMillis: 60_000 } })
        const controller = new AbortController()
        const call = client.rerank(question, { signal: controller.signal })
        const failed = call.then(
          () => undefined,
          (error: unknown) => error
        )
        while (proxy.dropped() === 0) yield* Effect.sleep(1)
        controller.abort()
        const error = yield* Effect.promise(() => failed)
        if (!(error instanceof CallAborted)) throw error
        expect(error).toMatchObject({ outcome: "unknown", name: "AbortError" })
        proxy.pass()
        expect((yield* resume(rerank, error)).results).toHaveLength(1)
        expect(yield* charges).toEqual({ charged: 1, billed: 1 })
        yield* Effect.promise(client.close)
      })
    )
  )
})
