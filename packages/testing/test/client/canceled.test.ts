import { describe, expect, it } from "@effect/vitest"
import { chatCompletionsStream, type EventStream, type PromiseClient, textOf, withBudget } from "@tollgate/client"
import { budget } from "@tollgate/client/budget"
import { cancelStream, resumable, resumeStream, type ResumeToken } from "@tollgate/client/resumable"
import { createClient, NodeClient } from "@tollgate/node/effect"
import { Host, key, TestGateway } from "@tollgate/testing"
import { after, cutting } from "@tollgate/testing/client/cutting"
import { calls, priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

const messages = [{ role: "user", content: "Why do rivers bend?" }] as const
const input = { model: "sandbox", messages }
/** The upstream sends three events, and then nothing more. */
const stalls = { scenario: "stall; after=3" }

const onGateway = Effect.provide(
  Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" })))
)

const ended = Effect.gen(function* () {
  while ((yield* calls).some(({ state }) => state === "open")) yield* Effect.sleep("2 millis")
  return yield* calls
})

const clientOf = Effect.map(Host, ({ baseUrl }) => createClient({ credential: key, baseUrl, pace: false }))

/** Reads so many events, and then does something. */
const readThen = async (stream: AsyncIterable<object>, most: number, then: () => void) => {
  let events = 0
  for await (const _ of stream) if (++events === most) then()
}

const failureOf = (promise: Promise<unknown>) =>
  Effect.promise(() =>
    promise.then(
      () => undefined,
      (error: unknown) => error
    )
  )

describe("an aborted stream", () => {
  it.live("costs the same if it could be resumed", () =>
    Effect.gen(function* () {
      const client = yield* clientOf
      for (const options of [{}, { resumable: resumable() }]) {
        const controller = new AbortController()
        const stream = client.chatCompletionsStream(input, { ...stalls, ...options, signal: controller.signal })
        const error = yield* failureOf(readThen(stream, 3, () => controller.abort()))
        expect(error).toMatchObject({ _tag: "CallAborted", name: "AbortError" })
      }
      const [plain, resumed, ...others] = yield* ended
      expect(others).toEqual([])
      expect(resumed?.charged).toBe(plain?.charged)
      expect([plain?.cost_state, resumed?.cost_state]).toEqual(["estimated", "estimated"])
      yield* Effect.promise(() => client.close())
    }).pipe(onGateway)
  )

  it.live.each([
    ["cancel()", (stream: EventStream<object>) => readThen(stream, 3, () => void stream.cancel())],
    [
      "await using",
      async (given: EventStream<object>) => {
        await using stream = given
        let events = 0
        for await (const _ of stream) if (++events === 3) return
      }
    ]
  ] as const)("ends by %s at the gateway too", ([, end]) =>
    Effect.gen(function* () {
      const client = yield* clientOf
      const stream = client.chatCompletionsStream(input, { ...stalls, resumable: resumable() })
      yield* Effect.promise(() => end(stream))
      const { cost } = yield* Effect.promise(() => stream.response())
      const [call] = yield* ended
      expect(cost).toMatchObject({ state: "estimated", micros: call?.charged })
      yield* Effect.promise(() => client.close())
    }).pipe(onGateway)
  )

  it.live("is not read on either if it is aborted before its first event", () =>
    Effect.gen(function* () {
      const client = yield* clientOf
      const controller = new AbortController()
      const options = { scenario: "stall; after=0", resumable: resumable(), signal: controller.signal }
      const read = failureOf(client.chatCompletionsStream(input, options).text())
      const reading = yield* Effect.forkChild(read)
      while ((yield* calls).length === 0) yield* Effect.sleep("1 millis")
      controller.abort()
      expect(yield* Fiber.join(reading)).toMatchObject({ _tag: "CallAborted" })
      yield* ended
      yield* Effect.promise(() => client.close())
    }).pipe(onGateway)
  )

  it.live("can be canceled again, and after its end", () =>
    Effect.gen(function* () {
      const client = yield* clientOf
      const kept = resumable()
      const controller = new AbortController()
      const stream = client.chatCompletionsStream(input, { ...stalls, resumable: kept, signal: controller.signal })
      yield* failureOf(readThen(stream, 3, () => controller.abort()))
      controller.abort()
      const whole = resumable()
      yield* Effect.promise(() => client.chatCompletionsStream(input, { resumable: whole }).text())
      const told: Array<unknown> = []
      for (const one of [kept, kept, whole]) {
        told.push(yield* Effect.promise(() => cancelStream(client.chatCompletionsStream, one)))
      }
      const [first, second] = (yield* ended).map(({ charged, cost_state }) => ({ state: cost_state, micros: charged }))
      expect(told).toMatchObject([first, first, second])
      expect(second?.state).toBe("settled")
      const error = yield* failureOf(resumeStream(client.chatCompletionsStream, kept).text())
      expect(error).toMatchObject({ _tag: "Conflict", code: "idempotency_completed" })
      expect(yield* calls).toHaveLength(2)
      yield* Effect.promise(() => client.close())
    }).pipe(onGateway)
  )

  it.live("is canceled in another program by its token, and not by another key", () =>
    Effect.gen(function* () {
      const client = yield* clientOf
      const kept = resumable()
      const stream = client.chatCompletionsStream(input, { ...stalls, resumable: kept })
      yield* Effect.promise(async () => {
        for await (const _ of stream) break
        await client.close()
      })
      const token = JSON.parse(JSON.stringify(kept.token())) as ResumeToken
      const { account, accounts } = yield* TestGateway
      const { baseUrl } = yield* Host
      const credential = Redacted.value((yield* accounts.createKey(account, { label: "" })).value)
      const other = createClient({ credential, baseUrl })
      const cancel = (client: PromiseClient) =>
        Effect.promise(() => cancelStream(client.chatCompletionsStream, resumable(token)))
      expect(yield* cancel(other)).toEqual({ state: "unknown" })
      expect((yield* calls)[0]?.state).toBe("open")
      const owner = yield* clientOf
      const charge = yield* cancel(owner)
      const [call] = yield* ended
      expect(charge).toMatchObject({ state: "estimated", micros: call?.charged })
      yield* Effect.promise(() => Promise.all([other.close(), owner.close()]))
    }).pipe(onGateway)
  )

  it.live("with Effect is one that is interrupted, not one that is left", () =>
    Effect.gen(function* () {
      const layer = NodeClient.layer({ credential: key, baseUrl: (yield* Host).baseUrl })
      const kept = resumable()
      const leave = Stream.runDrain(Stream.take(chatCompletionsStream(input, { ...stalls, resumable: kept }), 3))
      yield* Effect.provide(leave, layer)
      yield* Effect.sleep("50 millis")
      expect((yield* calls)[0]?.state).toBe("open")
      const reading = Stream.runDrain(resumeStream(chatCompletionsStream, kept)).pipe(Effect.provide(layer))
      const fiber = yield* Effect.forkChild(reading)
      yield* Effect.sleep("50 millis")
      yield* Fiber.interrupt(fiber)
      expect((yield* calls)[0]).toMatchObject({ state: "settled", cost_state: "estimated" })
      const charge = yield* cancelStream(chatCompletionsStream, kept).pipe(Effect.provide(layer))
      expect(charge.micros).toBe((yield* calls)[0]?.charged)
    }).pipe(onGateway)
  )
})

describe("a stream that was left", () => {
  it.live("can be resumed: by leaving its loop, and by closing its client", () =>
    Effect.gen(function* () {
      for (const leave of ["break", "close"]) {
        const client = yield* clientOf
        const kept = resumable()
        const stream = client.chatCompletionsStream(input, { ...stalls, resumable: kept })
        const reading = async () => {
          let events = 0
          for await (const _ of stream) {
            if (++events < 3) continue
            if (leave === "break") break
            void client.close()
          }
        }
        yield* failureOf(reading())
        yield* Effect.sleep("50 millis")
        expect((yield* calls).at(-1)?.state).toBe("open")
        const other = yield* clientOf
        const controller = new AbortController()
        const again = resumeStream(other.chatCompletionsStream, kept, { signal: controller.signal })
        setTimeout(() => controller.abort(), 50)
        expect(yield* failureOf(again.text())).toMatchObject({ _tag: "CallAborted" })
        expect((yield* ended).at(-1)).toMatchObject({ state: "settled", cost_state: "estimated" })
        yield* Effect.promise(() => Promise.all([client.close(), other.close()]))
      }
    }).pipe(onGateway)
  )

  it.live("is held once by a budget if it is resumed, and costs once", () =>
    Effect.gen(function* () {
      const report = yield* Effect.gen(function* () {
        const kept = resumable()
        yield* Stream.runDrain(Stream.take(chatCompletionsStream(input, { resumable: kept }), 2))
        const { reserved, spent } = (yield* budget()) ?? {}
        const again = Stream.runDrain(resumeStream(chatCompletionsStream, kept))
        const fiber = yield* Effect.forkChild(again)
        yield* Fiber.join(fiber)
        expect(Math.max(reserved?.micros ?? 0, spent?.micros ?? 0)).toBeGreaterThan(0)
        return yield* budget()
      }).pipe(withBudget("0.1"), Effect.provide(NodeClient.layer({ credential: key, baseUrl: (yield* Host).baseUrl })))
      const [call, ...others] = yield* ended
      expect(others).toEqual([])
      expect(report).toMatchObject({
        spent: { micros: call?.charged },
        reserved: { usd: "0" },
        left: { micros: 100_000 - (call?.charged ?? 0) }
      })
    }).pipe(onGateway)
  )

  it.live("fails by its options when it is resumed", () =>
    Effect.gen(function* () {
      const client = yield* clientOf
      const kept = resumable()
      yield* Effect.promise(async () => {
        for await (const _ of client.chatCompletionsStream(input, { ...stalls, resumable: kept })) break
      })
      const options = { idleTimeout: "20 millis", timeout: "2 seconds", headers: { "x-team": "a" } } as const
      const read = resumeStream(client.chatCompletionsStream, kept, options).text()
      // It goes on by itself as long as it can, so it is stopped here.
      const first = yield* Effect.promise(() => Promise.race([failureOfPromise(read), later(300)]))
      expect(first).toBe("later")
      yield* Effect.promise(() => cancelStream(client.chatCompletionsStream, kept))
      expect(yield* failureOf(read)).toMatchObject({ _tag: "StreamTruncated" })
      yield* Effect.promise(() => client.close())
    }).pipe(onGateway)
  )
})

const failureOfPromise = (promise: Promise<unknown>) => promise.catch((error: unknown) => error)
const later = (millis: number) => new Promise((resolve) => setTimeout(() => resolve("later"), millis))

describe("a token", () => {
  it.live("exists before anything is sent, and survives a program that is killed before its first event", () =>
    Effect.gen(function* () {
      const client = yield* clientOf
      const kept = resumable()
      const stream = client.chatCompletionsStream(input, { resumable: kept })
      const token = JSON.stringify(kept.token())
      expect(yield* calls).toEqual([])
      // The request was sent, and nothing of the answer was seen.
      yield* Effect.promise(() => stream.response())
      const other = yield* clientOf
      const read = () => resumeStream(other.chatCompletionsStream, resumable(JSON.parse(token) as ResumeToken)).text()
      const text = yield* Effect.promise(read)
      expect(text).toBe(yield* Effect.promise(() => stream.text()))
      const unsent = resumable()
      other.chatCompletionsStream(input, { resumable: unsent })
      yield* Effect.promise(() => resumeStream(other.chatCompletionsStream, unsent).text())
      expect(yield* ended).toHaveLength(2)
      yield* Effect.promise(() => Promise.all([client.close(), other.close()]))
    }).pipe(onGateway)
  )
})

it.live("events that a proxy sends again are dropped", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* Host
    const plain = yield* clientOf
    const uncut = yield* Effect.promise(() => plain.chatCompletionsStream(input).text())
    const proxy = yield* cutting(baseUrl, (nth) => (nth < 3 ? after(2 + nth) : undefined))
    // Without the id of the last event, the gateway sends all of them.
    const forgetful = (url: string, init: { readonly headers: Record<string, string> }) => {
      const { "last-event-id": _, ...headers } = init.headers
      return fetch(url, { ...init, headers } as RequestInit)
    }
    const client = createClient({ credential: key, baseUrl: proxy.baseUrl, fetch: forgetful as never })
    const texts: Array<string> = []
    yield* Effect.promise(async () => {
      for await (const event of client.chatCompletionsStream(input, { resumable: resumable() }))
        texts.push(textOf(event))
      await Promise.all([client.close(), plain.close()])
    })
    expect(proxy.seen.length).toBeGreaterThan(3)
    expect(texts.join("")).toBe(uncut)
  }).pipe(onGateway, Effect.scoped)
)
