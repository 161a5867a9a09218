import { describe, expect, it } from "@effect/vitest"
import {
  AnswerInvalid,
  call,
  CallAborted,
  Client,
  InputInvalid,
  promises,
  rerank,
  TransportFailed
} from "@tollgate/client"
import { RateLimited } from "@tollgate/contract/errors/ApiError"
import { modelList } from "@tollgate/contract/operations/modelList"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { getEventListeners } from "node:events"
import { expectTypeOf } from "vitest"
import type { RerankResult } from "@tollgate/contract/resources/RerankResult"
import { fail, json, question, ranking, respond, scripted, Unsent } from "./scripted.ts"

const functions = { rerank, models: call(modelList) }
const clientOf = (handler: Parameters<typeof scripted>[0]) => {
  const { layer, sent } = scripted(handler)
  return { client: promises(functions, layer), sent }
}

const pending = () => {
  const state = { aborted: false }
  const { client, sent } = clientOf((_, __, signal) => {
    signal.addEventListener("abort", () => (state.aborted = true))
    return Effect.never
  })
  return { client, sent, state }
}

describe("the same functions without Effect", () => {
  it("resolve with the answer, typed", async () => {
    const { client } = clientOf(respond(200, JSON.stringify(ranking), json))
    const result = await client.rerank(question)
    expectTypeOf(result).toEqualTypeOf<RerankResult>()
    expect(result).toEqual(ranking)
    await client.close()
  })

  it("take no input if the operation takes none", async () => {
    const { client, sent } = clientOf(respond(200, "{}", json))
    await client.models()
    expect(sent[0]?.url.pathname).toBe("/v1/models")
    await client.close()
  })

  it("reject with the same error classes", async () => {
    for (const [handler, type, fields] of [
      [
        respond(429, `{"error":{"code":"rate_limit_exceeded"}}`, { ...json, "retry-after": "3" }),
        RateLimited,
        { retryAfter: 3000 }
      ],
      [respond(200, "<html>", { "content-type": "text/html" }), AnswerInvalid, { body: "<html>" }],
      [fail(new Unsent("ECONNREFUSED")), TransportFailed, { outcome: "not executed" }]
    ] as const) {
      const { client } = clientOf(handler)
      const error: unknown = await client.rerank(question).catch((error: unknown) => error)
      expect(error).toBeInstanceOf(type)
      expect(error).toBeInstanceOf(Error)
      expect(error).toMatchObject(fields)
      await client.close()
    }
    const { client, sent } = clientOf(respond(200, "{}", json))
    await expect(client.rerank({ ...question, query: "" })).rejects.toBeInstanceOf(InputInvalid)
    expect(sent).toEqual([])
    await client.close()
  })
})

it("an idempotency key and a cap are options of the call, and of that call only", async () => {
  const { client, sent } = clientOf(respond(200, JSON.stringify(ranking), json))
  await client.rerank(question, { idempotencyKey: "order 7", maxPrice: "0.01" })
  await client.rerank(question)
  expect(sent.map(({ request }) => request.headers["x-tollgate-max-price-usd"])).toEqual(["0.01", undefined])
  expect(sent[0]?.request.headers["idempotency-key"]).toBe("order 7")
  expect(sent[1]?.request.headers["idempotency-key"]).not.toBe("order 7")
  await expect(client.rerank(question, { maxPrice: "much" })).rejects.toBeInstanceOf(InputInvalid)
  await client.close()
})

describe("an AbortSignal", () => {
  it("that is aborted before the call sends nothing, and the error has its reason", async () => {
    const { client, sent } = pending()
    const reason = new Error("changed my mind")
    await expect(client.rerank(question, { signal: AbortSignal.abort(reason) })).rejects.toMatchObject({
      _tag: "CallAborted",
      name: "AbortError",
      operation: "rerank",
      outcome: "not executed",
      cause: reason
    })
    expect(sent).toEqual([])
    await client.close()
  })

  it("that is aborted during the call closes the connection and rejects as fetch does", async () => {
    const { client, sent, state } = pending()
    const controller = new AbortController()
    const call = client.rerank(question, { signal: controller.signal })
    await expect.poll(() => sent).toHaveLength(1)
    controller.abort()
    const idempotencyKey = sent[0]?.request.headers["idempotency-key"]
    await expect(call).rejects.toMatchObject({ name: "AbortError", outcome: "unknown", idempotencyKey })
    expect(state.aborted).toBe(true)
    await client.close()
  })

  it("of a timeout rejects with TimeoutError", async () => {
    const { client } = pending()
    await expect(client.rerank(question, { signal: AbortSignal.timeout(10) })).rejects.toMatchObject({
      name: "TimeoutError"
    })
    await client.close()
  })

  it("that is aborted after the answer changes nothing, and keeps no listener", async () => {
    const { client } = clientOf(respond(200, JSON.stringify(ranking), json))
    const controller = new AbortController()
    for (let i = 0; i < 20; i++) await client.rerank(question, { signal: controller.signal })
    expect(getEventListeners(controller.signal, "abort")).toEqual([])
    controller.abort()
    await expect(client.rerank(question)).resolves.toEqual(ranking)
    await client.close()
  })

  it("stops only its own call", async () => {
    let answer = () => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    const { client, sent } = clientOf((request, url, signal) =>
      Effect.andThen(
        Effect.promise(() => held),
        respond(200, JSON.stringify(ranking), json)(request, url, signal)
      )
    )
    const controller = new AbortController()
    const calls = Promise.allSettled([client.rerank(question, { signal: controller.signal }), client.rerank(question)])
    await expect.poll(() => sent).toHaveLength(2)
    controller.abort()
    answer()
    expect((await calls).map(({ status }) => status)).toEqual(["rejected", "fulfilled"])
    await client.close()
  })
})

describe("close", () => {
  const closing = (handler: Parameters<typeof scripted>[0]) => {
    const state = { built: 0, closed: 0 }
    const scope = Layer.effectDiscard(
      Effect.acquireRelease(
        Effect.sync(() => state.built++),
        () => Effect.sync(() => state.closed++)
      )
    )
    const { layer, sent } = scripted(handler)
    return { client: promises({ rerank }, layer.pipe(Layer.provideMerge(scope)) as Layer.Layer<Client>), state, sent }
  }

  it("releases the client's resources once; all calls share one client", async () => {
    const { client, state } = closing(respond(200, JSON.stringify(ranking), json))
    await Promise.all([client.rerank(question), client.rerank(question)])
    await client.rerank(question)
    expect(state).toEqual({ built: 1, closed: 0 })
    await client.close()
    await client.close()
    expect(state).toEqual({ built: 1, closed: 1 })
  })

  it("ends calls in flight with an error that says so", async () => {
    const { client, sent, state } = closing(() => Effect.never)
    const call = client.rerank(question).catch((error: unknown) => error)
    await expect.poll(() => sent).toHaveLength(1)
    await client.close()
    expect(await call).toMatchObject({ message: expect.stringContaining("closed") })
    expect(await call).toBeInstanceOf(Error)
    expect(state.closed).toBe(1)
  })

  it("refuses later calls with an error", async () => {
    for (const isUsed of [true, false]) {
      const { client, sent, state } = closing(respond(200, JSON.stringify(ranking), json))
      if (isUsed) await client.rerank(question)
      const before = sent.length
      await client.close()
      const error: unknown = await client.rerank(question).catch((error: unknown) => error)
      expect(error).toBeInstanceOf(CallAborted)
      expect(error).toMatchObject({
        _tag: "CallAborted",
        operation: "rerank",
        outcome: "not executed",
        message: "The client is closed"
      })
      expect(error).not.toHaveProperty("idempotencyKey")
      expect(sent).toHaveLength(before)
      expect(state.closed).toBe(state.built)
    }
  })
})
