import { describe, expect, it } from "@effect/vitest"
import { CallAborted, rerank, usage, withResponse } from "@tollgate/client"
import { type Ended, observe } from "@tollgate/client/observe"
import { createClient, NodeClient } from "@tollgate/node/effect"
import { Host, key, TestGateway } from "@tollgate/testing"
import { type Dropping, dropping } from "@tollgate/testing/client/dropping"
import { priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const question = { query: "river mountain sea", documents: ["river mountain sea shore ".repeat(50)] } as const

/** What the account was charged in all, asked past the proxy. */
const chargedInUsage = Effect.gen(function* () {
  const client = NodeClient.layer({ credential: key, baseUrl: (yield* Host).baseUrl })
  const { totals } = yield* usage({ start_time: Math.floor(Date.now() / 1000) - 86_400 }).pipe(Effect.provide(client))
  return totals.charged_micros_usd
})

/** Behind a proxy that loses the first answer. `ended` are the calls that an observer was told. */
const losingFirst = <A, E>(
  test: (proxy: Dropping, ended: ReadonlyArray<Ended>, observed: Layer.Layer<never>) => Effect.Effect<A, E, Host>
) =>
  Effect.gen(function* () {
    const ended: Array<Ended> = []
    const observed = observe(({ operation }) =>
      operation === "rerank" ? { ended: (call) => void ended.push(call) } : undefined
    )
    return yield* test(yield* dropping((yield* Host).baseUrl, 1), ended, observed)
  }).pipe(
    Effect.scoped,
    Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" }))))
  )

/** As the documentation of `Ended` says. */
const sumOf = (ended: ReadonlyArray<Ended>) =>
  ended.reduce((sum, { charge, recovered, replayed }) => sum + (replayed && !recovered ? 0 : (charge.micros ?? 0)), 0)

describe("a call whose first answer was lost costs what usage shows", () => {
  it.live("when the client's own retry got the answer, and for an observer that sums", () =>
    losingFirst((proxy, ended, observed) =>
      Effect.gen(function* () {
        const options = { idempotencyKey: "order 7" }
        const first = yield* withResponse(rerank(question, options))
        const micros = yield* chargedInUsage
        expect(micros).toBeGreaterThan(0)
        expect(proxy.dropped()).toBe(1)
        const told = { replayed: true, cost: { state: "settled", micros } }
        expect(first).toMatchObject(told)
        // The program calls again with its key: the same cost, which is not added again.
        expect(yield* withResponse(rerank(question, options))).toMatchObject(told)
        expect(ended.map(({ recovered, replayed }) => [replayed, recovered])).toEqual([
          [true, true],
          [true, false]
        ])
        expect([sumOf(ended), yield* chargedInUsage]).toEqual([micros, micros])
      }).pipe(
        Effect.provide(observed),
        Effect.provide(NodeClient.layer({ credential: key, baseUrl: proxy.baseUrl, retry: { backoffMillis: 1 } }))
      )
    )
  )

  it.live("after an abort and resume", () =>
    losingFirst((proxy, ended, observed) =>
      Effect.gen(function* () {
        const client = createClient({
          credential: key,
          baseUrl: proxy.baseUrl,
          retry: { backoffMillis: 60_000 },
          observe: observed
        })
        const controller = new AbortController()
        const failed = client.rerank(question, { signal: controller.signal }).then(
          () => undefined,
          (error: unknown) => error
        )
        while (proxy.dropped() === 0) yield* Effect.sleep(1)
        controller.abort()
        const error = yield* Effect.promise(() => failed)
        if (!(error instanceof CallAborted)) throw error
        const { cost, replayed } = yield* Effect.promise(() => client.resume.rerank(error).withResponse())
        const micros = yield* chargedInUsage
        expect([replayed, cost]).toMatchObject([true, { state: "settled", micros }])
        expect(ended.map(({ charge }) => charge.state)).toEqual(["unknown", "settled"])
        expect(sumOf(ended)).toBe(micros)
        yield* Effect.promise(client.close)
      })
    )
  )
})
