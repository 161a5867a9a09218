import { describe, expect, it } from "@effect/vitest"
import { chatCompletionsStream, promises, rerank, StreamTruncated } from "@tollgate/client"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { getEventListeners } from "node:events"
import { afterEach, beforeEach, vi } from "vitest"
import { json, respond, scripted } from "./scripted.ts"
import { choice, data, events, hang } from "./streamScripted.ts"

const asked = { model: "sandbox", messages: [{ role: "user" as const, content: "Why do rivers bend?" }] }
const functions = { rerank, chatCompletionsStream }

const clientOf = (...given: Parameters<typeof events>) => {
  const { layer, seen, sent } = events(...given)
  return { client: promises(functions, layer), seen, sent }
}

const letters = data(choice("a"), choice("b"), choice("c"))
const end = data("[DONE]")

const unhandled = vi.fn()
beforeEach(() => void process.on("unhandledRejection", unhandled))
afterEach(async () => {
  // Node reports unhandled rejections at the end of the event loop iteration.
  await new Promise((resolve) => setImmediate(resolve))
  process.off("unhandledRejection", unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no failure",
    (error: unknown) => error
  )

/** The items that a loop takes, and the error that ends it. */
const loop = async <A>(iterable: AsyncIterable<A>, body: (taken: ReadonlyArray<A>) => unknown = () => {}) => {
  const taken: Array<A> = []
  const error = await failureOf(
    (async () => {
      for await (const one of iterable) {
        taken.push(one)
        await body(taken)
      }
    })()
  )
  return { taken, error }
}

describe("a stream is read with `for await`", () => {
  it("event by event, to its end, and sends nothing before it is read", async () => {
    const { client, sent, seen } = clientOf([letters, end])
    const stream = client.chatCompletionsStream(asked)
    await new Promise((resolve) => setImmediate(resolve))
    expect(sent).toEqual([])
    const { error, taken } = await loop(stream)
    expect(error).toBe("no failure")
    expect(taken).toEqual([choice("a"), choice("b"), choice("c")])
    expect(sent).toHaveLength(1)
    expect(seen.closed).toBe(0)
    await client.close()
  })

  it("whose response rejects with CallAborted if it is canceled before it is read, or before its answer", async () => {
    const unread = clientOf([letters, end])
    const never = unread.client.chatCompletionsStream(asked)
    await Promise.all([never.cancel(), never.cancel()])
    expect(await failureOf(never.response())).toMatchObject({ _tag: "CallAborted", outcome: "not executed" })
    const { layer } = scripted(() => Effect.never)
    const client = promises(functions, layer)
    const stream = client.chatCompletionsStream(asked)
    const read = stream.text()
    await new Promise((resolve) => setTimeout(resolve, 20))
    await stream.cancel()
    expect([await read, await failureOf(stream.response())]).toMatchObject([
      "",
      { _tag: "CallAborted", name: "AbortError", outcome: "unknown", idempotencyKey: expect.any(String) }
    ])
    await Promise.all([client.close(), unread.client.close()])
  })

  it("as its text", async () => {
    const { client } = clientOf([letters, end])
    expect(await client.chatCompletionsStream(asked).text()).toBe("abc")
    await client.close()
  })

  it("once: reading again would be another call", async () => {
    const { client, sent } = clientOf([letters, end])
    const stream = client.chatCompletionsStream(asked)
    await stream.text()
    await expect(stream.text()).rejects.toThrow("read only once")
    expect(sent).toHaveLength(1)
    await client.close()
  })

  it("and is not read ahead", async () => {
    const { client } = clientOf([data(choice("a")), data(choice("b")), new Error("too far")])
    const iterator = client.chatCompletionsStream(asked)[Symbol.asyncIterator]()
    await iterator.next()
    await iterator.next()
    await new Promise((resolve) => setTimeout(resolve, 20))
    await expect(iterator.next()).rejects.toBeInstanceOf(StreamTruncated)
    await client.close()
  })

  it("by a reader that requests several items at once", async () => {
    const { client } = clientOf([letters, end])
    const iterator = client.chatCompletionsStream(asked)[Symbol.asyncIterator]()
    const taken = await Promise.all(Array.from({ length: 5 }, () => iterator.next()))
    expect(taken.map(({ done }) => done)).toEqual([false, false, false, true, true])
    expect(taken.slice(0, 3).map(({ value }) => value)).toEqual([choice("a"), choice("b"), choice("c")])
    await client.close()
  })

  it("with what it cost and its limits as options", async () => {
    const cost = ": cost_micros_usd=12 cost_state=settled\n\n"
    const { client } = clientOf([letters, end, cost])
    const charges: Array<Charge> = []
    await client.chatCompletionsStream(asked, { onCharge: (charge) => void charges.push(charge) }).text()
    expect(charges).toEqual([{ state: "settled", micros: 12, usd: "0.000012" }])
    const silent = clientOf([letters, hang])
    const { error, taken } = await loop(silent.client.chatCompletionsStream(asked, { idleTimeout: 20 }))
    expect(taken).toHaveLength(3)
    expect(error).toMatchObject({ _tag: "StreamTimedOut", millis: 20 })
    await Promise.all([client.close(), silent.client.close()])
  })

  it("and waits for an async callback", async () => {
    const { client } = clientOf([letters, end, ": cost_micros_usd=12 cost_state=settled\n\n"])
    const order: Array<string> = []
    const onCharge = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      order.push("charge")
    }
    await client.chatCompletionsStream(asked, { onCharge }).text()
    order.push("end")
    expect(order).toEqual(["charge", "end"])
    const bug = new Error("a bug")
    await expect(client.chatCompletionsStream(asked, { onCharge: () => Promise.reject(bug) }).text()).rejects.toBe(bug)
    await client.close()
  })

  it("until the caller's callback throws", async () => {
    const { client } = clientOf([letters, end, ": cost_micros_usd=12 cost_state=settled\n\n"])
    const bug = new Error("a bug")
    const stream = client.chatCompletionsStream(asked, {
      onCharge: () => {
        throw bug
      }
    })
    const { error, taken } = await loop(stream)
    expect(taken).toHaveLength(3)
    expect(error).toBe(bug)
    await client.close()
  })

  it("under a key and a cap", async () => {
    const { client, sent } = clientOf([letters, end])
    await client.chatCompletionsStream(asked, { idempotencyKey: "order 7", maxPrice: "0.01" }).text()
    expect(sent[0]?.request.headers).toMatchObject({ "idempotency-key": "order 7", "x-tollgate-max-price-usd": "0.01" })
    await client.close()
  })
})

describe("a stream throws", () => {
  it("the same errors, after the events before them, and then ends", async () => {
    const { client } = clientOf([letters])
    const iterator = client.chatCompletionsStream(asked)[Symbol.asyncIterator]()
    for (let i = 0; i < 3; i++) expect(await iterator.next()).toMatchObject({ done: false })
    const error = await failureOf(iterator.next())
    expect(error).toBeInstanceOf(StreamTruncated)
    expect(error).toMatchObject({ _tag: "StreamTruncated", events: 3, outcome: "executed" })
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    await client.close()
  })

  it("an error whose stack includes the call", async () => {
    const { client } = clientOf([letters])
    const callSite = () => client.chatCompletionsStream(asked)
    const { error } = await loop(callSite())
    expect(error).toMatchObject({ stack: expect.stringMatching(/^StreamTruncated: [^]*\bcallSite\b/) })
    await client.close()
  })
})

describe("leaving the loop closes the connection", () => {
  it("by `break`", async () => {
    const { client, seen } = clientOf([letters, hang])
    for await (const _ of client.chatCompletionsStream(asked)) break
    expect(seen.closed).toBe(1)
    await client.close()
  })

  it("by an error thrown in the loop", async () => {
    const { client, seen } = clientOf([letters, hang])
    const bug = new Error("a bug")
    const { error } = await loop(client.chatCompletionsStream(asked), () => Promise.reject(bug))
    expect(error).toBe(bug)
    expect(seen.closed).toBe(1)
    await client.close()
  })

  it("while an item is awaited", async () => {
    const { client, seen } = clientOf([data(choice("a")), hang])
    const iterator = client.chatCompletionsStream(asked)[Symbol.asyncIterator]()
    await iterator.next()
    const next = iterator.next()
    expect(await iterator.return?.()).toEqual({ done: true, value: undefined })
    expect(await next).toEqual({ done: true, value: undefined })
    expect(seen.closed).toBe(1)
    await client.close()
  })

  it("before it began: nothing is ever sent", async () => {
    const { client, sent } = clientOf([letters, end])
    const iterator = client.chatCompletionsStream(asked)[Symbol.asyncIterator]()
    await iterator.return?.()
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    expect(sent).toEqual([])
    await client.close()
  })
})

describe("an AbortSignal", () => {
  it("that is aborted before sends nothing, and the error has its reason", async () => {
    const { client, sent } = clientOf([letters, end])
    const reason = new Error("changed my mind")
    const { error } = await loop(client.chatCompletionsStream(asked, { signal: AbortSignal.abort(reason) }))
    expect(error).toMatchObject({ _tag: "CallAborted", outcome: "not executed", cause: reason })
    expect(sent).toEqual([])
    await client.close()
  })

  it("aborted while an item is awaited closes the connection and throws its reason", async () => {
    const { client, seen } = clientOf([letters, hang])
    const controller = new AbortController()
    const stream = client.chatCompletionsStream(asked, { signal: controller.signal })
    const { error, taken } = await loop(stream, ({ length }) => {
      if (length === 3) setTimeout(() => controller.abort(), 5)
    })
    expect(taken).toHaveLength(3)
    expect(error).toMatchObject({ name: "AbortError" })
    expect(seen.closed).toBe(1)
    await client.close()
  })

  it("aborted between two items closes the connection at once and throws on the next read", async () => {
    const { client, seen } = clientOf([letters, hang])
    const controller = new AbortController()
    const iterator = client.chatCompletionsStream(asked, { signal: controller.signal })[Symbol.asyncIterator]()
    await iterator.next()
    controller.abort()
    await expect.poll(() => seen.closed).toBe(1)
    await expect(iterator.next()).rejects.toMatchObject({ name: "AbortError" })
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    await client.close()
  })

  it("aborted and never read causes no unhandled rejection", async () => {
    const { client, seen } = clientOf([letters, hang])
    const controller = new AbortController()
    const iterator = client.chatCompletionsStream(asked, { signal: controller.signal })[Symbol.asyncIterator]()
    await iterator.next()
    controller.abort()
    await expect.poll(() => seen.closed).toBe(1)
    await client.close()
  })

  it("keeps no listener once the stream has ended or was left", async () => {
    const { client } = clientOf([letters, end])
    const { signal } = new AbortController()
    await client.chatCompletionsStream(asked, { signal }).text()
    for await (const _ of client.chatCompletionsStream(asked, { signal })) break
    expect(getEventListeners(signal, "abort")).toEqual([])
    await client.close()
  })
})

describe("close", () => {
  it("ends idle and awaited streams and their connections", async () => {
    const { client, seen } = clientOf([data(choice("a")), hang])
    const [resting, waiting] = [client.chatCompletionsStream(asked), client.chatCompletionsStream(asked)].map(
      (stream) => stream[Symbol.asyncIterator]()
    )
    await Promise.all([resting?.next(), waiting?.next()])
    const next = failureOf(Promise.resolve(waiting?.next()))
    await client.close()
    expect(seen.closed).toBe(2)
    const closed = { message: expect.stringContaining("closed") }
    expect(await next).toMatchObject(closed)
    expect(await failureOf(Promise.resolve(resting?.next()))).toMatchObject(closed)
  })

  it("refuses to begin one", async () => {
    const { client, sent } = clientOf([letters, end])
    const stream = client.chatCompletionsStream(asked)
    await client.close()
    expect(await failureOf(stream.text())).toMatchObject({ message: "The client is closed" })
    expect(sent).toEqual([])
  })
})

it("a response that is not awaited does not end the process if the stream never began", async () => {
  const { layer } = scripted(respond(402, "{}", json))
  const client = promises(functions, layer)
  const stream = client.chatCompletionsStream(asked)
  const response = stream.response()
  const error = await failureOf(stream.text())
  expect(error).toMatchObject({ _tag: "OverBudget" })
  await new Promise((resolve) => setImmediate(resolve))
  expect(unhandled).not.toHaveBeenCalled()
  expect(await failureOf(response)).toBe(error)
  await client.close()
})

it("a hundred concurrent streams, some left, some aborted, do not mix", async () => {
  const { client, seen } = clientOf([data(choice("a")), data(choice("b")), data(choice("c")), end])
  const read = async (index: number) => {
    const controller = new AbortController()
    const { taken } = await loop(client.chatCompletionsStream(asked, { signal: controller.signal }), ({ length }) => {
      if (length === 2 && index % 3 === 1) controller.abort()
      if (length === 1 && index % 3 === 2) throw new Error("left")
    })
    return taken.length
  }
  const lengths = await Promise.all(Array.from({ length: 99 }, (_, index) => read(index)))
  for (const [index, length] of lengths.entries()) expect(length).toBe([3, 2, 1][index % 3])
  expect(seen.closed).toBe(66)
  await client.close()
})

it("the client is built once for calls and streams", async () => {
  let built = 0
  const { layer } = events([letters, end])
  const counted = Layer.effectDiscard(Effect.sync(() => built++))
  const client = promises(functions, Layer.merge(layer, counted))
  await Promise.all([client.chatCompletionsStream(asked).text(), client.chatCompletionsStream(asked).text()])
  expect(built).toBe(1)
  await client.close()
})
