import { expect, it } from "@effect/vitest"
import { chatCompletions, chatCompletionsStream, withBudget, withResponse } from "@tollgate/client"
import { budget } from "@tollgate/client/budget"
import { charge, leftCharge } from "@tollgate/client/account"
import type { Charge } from "@tollgate/contract/Outcome"
import { createClient, NodeClient } from "@tollgate/node"
import { Host, key, TestGateway } from "@tollgate/testing"
import { calls, priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const chat = { model: "sandbox", messages: [{ role: "user", content: "Why do rivers bend?" }] }

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
    const left = yield* Effect.promise(async () => {
      const stream = client.chatCompletionsStream(chat)
      for await (const _ of stream) break
      const { cost, requestId = "" } = await stream.response()
      expect(cost.state).toBe("unknown")
      let charged = await charge(client, requestId)
      while (charged.state === "pending") charged = await charge(client, requestId)
      await client.close()
      return charged
    })
    expect(left).toMatchObject({ state: expect.stringMatching("settled|estimated"), micros: expect.any(Number) })
    expect(left.micros).toBe(Number((yield* calls)[0]?.charged))
  }).pipe(onGateway)
)

it.live("and its onCharge is told, before the loop is over that left it", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const client = createClient({ credential: key, baseUrl })
    const told: Array<Charge> = []
    const onCharge = (charge: Charge) => void told.push(charge)
    const leave = () =>
      Effect.promise(async () => {
        const stream = client.chatCompletionsStream(chat, { onCharge, leftCharge })
        for await (const _ of stream) break
        return stream.response()
      })
    const { cost, requestId } = yield* leave()
    const [call] = yield* calls
    expect(told).toEqual([{ state: call?.cost_state, micros: call?.charged }])
    expect([cost, requestId]).toEqual([told[0], call?.id])
    // One that is read to its end is told once.
    yield* Effect.promise(() => client.chatCompletionsStream(chat, { onCharge, leftCharge }).text())
    expect(told).toHaveLength(2)
    yield* Effect.promise(() => client.close())
  }).pipe(onGateway)
)

it.live("and the error of a stream that was aborted has its charge", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const client = createClient({ credential: key, baseUrl })
    const controller = new AbortController()
    const abort = async () => {
      const stream = client.chatCompletionsStream(chat, { leftCharge, signal: controller.signal })
      for await (const _ of stream) controller.abort()
    }
    const error = yield* Effect.promise(() => abort().catch((error: unknown) => error))
    const [call] = yield* calls
    expect(error).toMatchObject({
      _tag: "CallAborted",
      message: "The call was aborted",
      requestId: call?.id,
      charge: { state: call?.cost_state, micros: call?.charged }
    })
    yield* Effect.promise(() => client.close())
  }).pipe(onGateway)
)

it.live("with Effect, and the budget knows what is left", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const client = NodeClient.layer({ credential: key, baseUrl })
    const left = Effect.gen(function* () {
      yield* Stream.runDrain(Stream.take(chatCompletionsStream(chat, { leftCharge }), 1))
      return yield* budget()
    })
    const report = yield* left.pipe(withBudget("1.00"), Effect.provide(client))
    expect(report).toMatchObject({ spent: Number((yield* calls)[0]?.charged), reserved: 0 })
  }).pipe(onGateway)
)
