import { describe, expect, it } from "@effect/vitest"
import { chatCompletions, chatCompletionsStream, type PromiseClient, withBudget, withResponse } from "@tollgate/client"
import { budget, type BudgetReport } from "@tollgate/client/budget"
import { charge } from "@tollgate/client/account"
import type { Charge } from "@tollgate/contract/Outcome"
import { createClient, NodeClient } from "@tollgate/node/effect"
import { Host, key, TestGateway } from "@tollgate/testing"
import { calls, priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const chat = { model: "sandbox", messages: [{ role: "user" as const, content: "Why do rivers bend?" }] }

const onGateway = Effect.provide(
  Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" })))
)

it.live("a program learns what a call was charged, by its request id", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const client = NodeClient.layer({ credential: key, baseUrl })
    const { cost, requestId = "" } = yield* withResponse(chatCompletions(chat)).pipe(Effect.provide(client))
    expect(cost.state).toBe("settled")
    expect(yield* charge(requestId).pipe(Effect.provide(client))).toEqual(cost)
    expect(yield* Effect.flip(charge("req_none").pipe(Effect.provide(client)))).toMatchObject({ _tag: "NotFound" })
  }).pipe(onGateway)
)

it.live("also of a stream that it left after the first event", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const client = createClient({ credential: key, baseUrl })
    const stream = client.chatCompletionsStream(chat)
    const { cost, requestId } = yield* Effect.promise(async () => {
      for await (const _ of stream) break
      return stream.response()
    })
    const [call] = yield* calls
    expect(cost).toMatchObject({ state: call?.cost_state, micros: call?.charged })
    expect(requestId).toBe(call?.id)
    expect(yield* Effect.promise(() => charge(client, requestId ?? ""))).toEqual(cost)
    yield* Effect.promise(() => client.close())
  }).pipe(onGateway)
)

it.live("and its onCharge is told once, however the stream ends", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const client = createClient({ credential: key, baseUrl })
    const told: Array<Charge> = []
    const onCharge = (charge: Charge) => void told.push(charge)
    const stream = client.chatCompletionsStream(chat, { onCharge })
    yield* Effect.promise(async () => {
      for await (const _ of stream) break
    })
    while (told.length === 0) yield* Effect.sleep("2 millis")
    yield* Effect.promise(() => stream.response())
    const [call] = yield* calls
    expect(told).toMatchObject([{ state: call?.cost_state, micros: call?.charged }])
    yield* Effect.promise(() => client.chatCompletionsStream(chat, { onCharge }).text())
    expect(told).toHaveLength(2)
    yield* Effect.promise(() => client.close())
  }).pipe(onGateway)
)

it.live("and of one that was aborted", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const client = createClient({ credential: key, baseUrl })
    const controller = new AbortController()
    const stream = client.chatCompletionsStream(chat, { signal: controller.signal })
    const abort = async () => {
      for await (const _ of stream) controller.abort()
    }
    const error = yield* Effect.promise(() => abort().catch((error: unknown) => error))
    const { cost } = yield* Effect.promise(() => stream.response())
    const [call] = yield* calls
    expect(error).toMatchObject({ _tag: "CallAborted", requestId: call?.id })
    expect(cost).toMatchObject({ state: call?.cost_state, micros: call?.charged })
    yield* Effect.promise(() => client.close())
  }).pipe(onGateway)
)

/** What is reserved for calls that were left is given back when their charges are learnt. */
const learnt = (read: Effect.Effect<BudgetReport | undefined>) =>
  Effect.gen(function* () {
    for (;;) {
      const report = yield* read
      if (report?.reserved.micros === 0) return report
      yield* Effect.sleep("2 millis")
    }
  })

const chargedInAll = Effect.map(calls, (all) => all.reduce((sum, { charged }) => sum + charged, 0))

describe("a budget of 0.01 USD", () => {
  it.live("holds what five streams cost that were left after three events, and no more", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      const client = createClient({ credential: key, baseUrl }).withBudget("0.01")
      for (let i = 0; i < 5; i++) {
        yield* Effect.promise(async () => {
          let events = 0
          for await (const _ of client.chatCompletionsStream({ ...chat, max_tokens: 100 })) if (++events === 3) break
        })
      }
      const report = yield* learnt(Effect.promise(() => budget(client)))
      const charged = yield* chargedInAll
      expect(report).toMatchObject({
        spent: { micros: charged },
        reserved: { usd: "0" },
        left: { micros: 10_000 - charged }
      })
      expect(yield* calls).toHaveLength(5)
      yield* Effect.promise(() => client.close())
    }).pipe(onGateway)
  )

  it.live("pays for many more streams than it could reserve at once", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      const client = createClient({ credential: key, baseUrl }).withBudget("0.01")
      // Each can cost 1,703 micro-USD, so six would be the end.
      for (let i = 0; i < 20; i++) {
        yield* Effect.promise(async () => {
          for await (const _ of client.chatCompletionsStream({ ...chat, max_tokens: 100 })) break
        })
      }
      expect((yield* learnt(Effect.promise(() => budget(client)))).spent.micros).toBe(yield* chargedInAll)
      expect(yield* calls).toHaveLength(20)
      yield* Effect.promise(() => client.close())
    }).pipe(onGateway)
  )

  it.live.each([
    [
      "a stream before its first event",
      (client: PromiseClient, signal: AbortSignal) => client.chatCompletionsStream(chat, { signal }).text()
    ],
    ["a whole call", (client: PromiseClient, signal: AbortSignal) => client.chatCompletions(chat, { signal })]
  ] as const)("holds what %s cost that was aborted", ([, ask]) =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      const client = createClient({ credential: key, baseUrl }).withBudget("1.00")
      const controller = new AbortController()
      const asked = ask(client, controller.signal).catch((error: unknown) => error)
      while ((yield* calls).length === 0) yield* Effect.sleep("1 millis")
      controller.abort()
      expect(yield* Effect.promise(() => asked)).toMatchObject({ _tag: "CallAborted" })
      expect((yield* learnt(Effect.promise(() => budget(client)))).spent.micros).toBe(yield* chargedInAll)
      yield* Effect.promise(() => client.close())
    }).pipe(onGateway)
  )

  it.live("holds what it cost with Effect", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      const left = Effect.gen(function* () {
        yield* Stream.runDrain(Stream.take(chatCompletionsStream(chat), 1))
        return yield* learnt(budget())
      })
      const report = yield* left.pipe(
        withBudget("1.00"),
        Effect.provide(NodeClient.layer({ credential: key, baseUrl }))
      )
      expect(report.spent.micros).toBe(yield* chargedInAll)
    }).pipe(onGateway)
  )
})
