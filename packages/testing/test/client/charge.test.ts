import { expect, it } from "@effect/vitest"
import { chatCompletions, withResponse } from "@tollgate/client"
import { charge } from "@tollgate/client/account"
import { createClient, NodeClient } from "@tollgate/node"
import { Host, key, TestGateway } from "@tollgate/testing"
import { calls, priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

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
