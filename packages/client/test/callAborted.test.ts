import { describe, expect, it } from "vitest"
import { chatCompletions, rerank, resume, usage } from "@tollgate/client"
import { fail, hang, later, reply, reset, says, sequence, testClient } from "@tollgate/client/testing"
import * as Effect from "effect/Effect"
import { inspect } from "node:util"
import { failure } from "./aborted.ts"
import { question, ranking } from "./scripted.ts"

const chat = { model: "any", messages: [{ role: "user" as const, content: "Hello" }] }

/** A call, and what aborts it. */
const start = () => {
  const controller = new AbortController()
  return { ...testClient(), controller, signal: controller.signal }
}

describe("an aborted call", () => {
  it("was not executed if nothing was sent, and has no key", async () => {
    const { client, controller, gateway, signal } = start()
    controller.abort()
    const error = await failure(client.rerank(question, { signal }))
    expect(error).toMatchObject({
      _tag: "CallAborted",
      name: "AbortError",
      operation: "rerank",
      outcome: "not executed"
    })
    expect(error).not.toHaveProperty("idempotencyKey")
    expect(error.cause).toBe(signal.reason)
    expect(gateway.requests).toEqual([])
  })

  it("sends nothing if it is the client's first and aborted at once, or the client closed", async () => {
    for (const end of ["abort", "close"] as const) {
      const { client, controller, gateway, signal } = start()
      const left = failure(client.rerank(question, { signal }))
      if (end === "abort") controller.abort()
      else await client.close()
      expect(await left).toMatchObject({ operation: "rerank", outcome: "not executed" })
      expect(gateway.requests).toEqual([])
    }
  })

  it("sends nothing if it waited for its credential", async () => {
    const { client, controller, gateway, signal } = {
      ...start(),
      ...testClient({ credential: () => new Promise(() => {}) })
    }
    const left = failure(client.rerank(question, { signal }))
    await new Promise((resolve) => setImmediate(resolve))
    controller.abort()
    expect(await left).toMatchObject({ outcome: "not executed" })
    expect(gateway.requests).toEqual([])
  })

  it("in flight has its key, its outcome and its reason", async () => {
    const { client, clock, controller, gateway, signal } = start()
    gateway.on(rerank, hang())
    const left = failure(client.rerank(question, { signal }))
    await clock.advance("5 seconds")
    const reason = new Error("changed my mind")
    controller.abort(reason)
    const error = await left
    expect(error).toMatchObject({
      name: "AbortError",
      outcome: "unknown",
      idempotencyKey: gateway.requests[0]?.idempotencyKey
    })
    expect(error.cause).toBe(reason)
    expect([inspect(error), String(error), JSON.stringify(error)].join()).not.toContain(question.query)
  })

  it("has the name of its signal's reason if that is a timeout", async () => {
    const { client, gateway } = start()
    gateway.on(rerank, hang())
    const error = await failure(client.rerank(question, { signal: AbortSignal.timeout(10) }))
    expect(error).toMatchObject({ name: "TimeoutError", _tag: "CallAborted", outcome: "unknown" })
  })

  it("between two attempts is unknown if the first may have run, and not executed if it did not", async () => {
    for (const [step, outcome] of [
      [reset(), "unknown"],
      [fail("rate_limit_exceeded", { retryAfter: "20 seconds" }), "not executed"]
    ] as const) {
      const { client, clock, controller, gateway, signal } = start()
      gateway.on(rerank, step)
      const left = failure(client.rerank(question, { signal }))
      await clock.advance(100)
      controller.abort()
      expect(await left).toMatchObject({ outcome })
      expect(gateway.requests).toHaveLength(1)
    }
  })

  it("that is free has no key", async () => {
    const { client, clock, controller, gateway, signal } = start()
    gateway.on(usage, hang())
    const left = failure(client.usage({ start_time: 1 }, { signal }))
    await clock.advance("1 second")
    controller.abort()
    expect(await left).not.toHaveProperty("idempotencyKey")
  })

  it("was not executed if only its quote was sent", async () => {
    let requests = 0
    const { client, gateway } = testClient({
      credential: () => (++requests === 1 ? Promise.resolve("key") : new Promise(() => {}))
    })
    gateway.price(rerank, "0.01")
    const controller = new AbortController()
    const left = failure(client.withBudget("1").rerank(question, { signal: controller.signal }))
    while (requests < 2) await new Promise((resolve) => setImmediate(resolve))
    controller.abort()
    expect(await left).toMatchObject({ outcome: "not executed" })
    expect([gateway.quotes(rerank).length, gateway.calls(rerank).length]).toEqual([1, 0])
  })

  it("can be resumed, and is paid once", async () => {
    const { client, clock, controller, gateway, layer, signal } = start()
    gateway.on(rerank, sequence(reset(reply(ranking, { cost: "0.00003" }))))
    const left = failure(client.rerank(question, { signal }))
    await clock.advance(100)
    controller.abort()
    const resumed = resume(rerank, await left).pipe(Effect.provide(layer))
    expect(await Effect.runPromise(resumed)).toEqual(ranking)
    expect(gateway.charged).toBe("0.000030")
  })

  it("may still have run if it only resumed another, even if it sent nothing itself", async () => {
    let isLocked = false
    const { client, gateway } = testClient({
      credential: () => (isLocked ? new Promise(() => {}) : Promise.resolve("key"))
    })
    gateway.on(rerank, sequence(reset(reply(ranking, { cost: "0.00003" }))))
    const first: unknown = await client.rerank(question, { retries: 0 }).catch((error: unknown) => error)
    const { idempotencyKey } = gateway.requests[0]!
    isLocked = true
    const controller = new AbortController()
    const left = failure(client.resume.rerank(first, { signal: controller.signal }))
    await new Promise((resolve) => setImmediate(resolve))
    controller.abort()
    const second = await left
    expect(second).toMatchObject({ outcome: "unknown", idempotencyKey })
    const third = await failure(client.resume.rerank(second, { signal: controller.signal }))
    expect(third).toMatchObject({ outcome: "unknown", idempotencyKey })
    isLocked = false
    expect(await client.resume.rerank(third)).toEqual(ranking)
    expect(gateway.charged).toBe("0.000030")
  })

  it("by the client's end has its key too", async () => {
    const { client, clock, gateway } = start()
    gateway.on(rerank, later("1 hour", reply(ranking)))
    const left = failure(client.rerank(question))
    await clock.advance("1 second")
    await client.close()
    expect(await left).toMatchObject({
      message: "The client is closed",
      outcome: "unknown",
      idempotencyKey: gateway.requests[0]?.idempotencyKey
    })
  })
})

describe("an aborted stream", () => {
  const read = async (stream: AsyncIterable<unknown>, seen: Array<unknown>) => {
    for await (const event of stream) seen.push(event)
  }

  it("before its first event may have run", async () => {
    for (const step of [hang(), says(["late"], { every: "1 hour", end: "hang" })]) {
      const { client, clock, controller, gateway, signal } = start()
      gateway.on(chatCompletions, step)
      const seen: Array<unknown> = []
      const left = failure(read(client.chatCompletionsStream(chat, { signal }), seen))
      await clock.advance("1 second")
      controller.abort()
      const error = await left
      expect(error.idempotencyKey).toBe(gateway.requests[0]?.idempotencyKey)
      expect(error.outcome).toBe(seen.length === 0 ? "unknown" : "executed")
    }
  })

  it("after its first event was executed", async () => {
    const { client, clock, controller, gateway, signal } = start()
    gateway.on(chatCompletions, says(["Hel", "lo"], { every: "1 minute" }))
    const seen: Array<unknown> = []
    const left = failure(read(client.chatCompletionsStream(chat, { signal }), seen))
    await clock.advance("61 seconds")
    controller.abort()
    expect(await left).toMatchObject({ name: "AbortError", outcome: "executed", operation: "chat.completions" })
    expect(seen.length).toBeGreaterThan(0)
  })

  it("may still have run if it only resumed another", async () => {
    const { client, gateway } = start()
    gateway.on(chatCompletions, reset())
    const first: unknown = await read(client.chatCompletionsStream(chat), []).catch((error: unknown) => error)
    const resumed = client.resume.chatCompletionsStream(first, { signal: AbortSignal.abort() })
    expect(await failure(read(resumed, []))).toMatchObject({
      outcome: "unknown",
      idempotencyKey: gateway.requests[0]?.idempotencyKey
    })
  })

  it("before it was read sends nothing", async () => {
    const { client, controller, gateway, signal } = start()
    const stream = client.chatCompletionsStream(chat, { signal })
    controller.abort()
    expect(await failure(read(stream, []))).toMatchObject({ outcome: "not executed", operation: "chat.completions" })
    expect(gateway.requests).toEqual([])
  })
})
