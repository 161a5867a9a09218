import { describe, expect, it } from "@effect/vitest"
import * as whole from "@tollgate/client"
import { BudgetExceeded, type CallPromise, InputInvalid, promises } from "@tollgate/client"
import * as operations from "@tollgate/client/operations"
import { clientOf } from "@tollgate/client/promises/createClient"
import { isQuotable, type Operation } from "@tollgate/contract/Operation"
import type { Charge } from "@tollgate/contract/Outcome"
import type { CallPrice } from "@tollgate/contract/resources/Quote"
import type { Tweet, TweetPage } from "@tollgate/contract/resources/Tweet"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import type { Time } from "@tollgate/client/promises"
import type * as Duration from "effect/Duration"
import { inspect } from "node:util"
import { expectTypeOf } from "vitest"
import { answer } from "./attempts.ts"
import { question, ranking, scripted } from "./scripted.ts"
import { choice, data, events } from "./streamScripted.ts"

type Handler = Parameters<typeof scripted>[0]

const serving = (handler: Handler) => {
  const { layer, sent } = scripted(handler)
  return { client: clientOf(layer), sent }
}

const quoted = (micros: number) =>
  answer(200, {
    operation_id: "rerank",
    currency: "USD",
    estimate_micros_usd: micros,
    max_micros_usd: micros,
    price_contract: "per_token",
    basis: "tokens",
    expires_at: "2030-01-01T00:00:00.000Z",
    request_id: "req_q"
  })

/** Quotes a maximum of `most` and charges `cost`. */
const billing = (most: number, cost: number) => {
  const made = serving((request, url, signal) => {
    const isQuote = request.headers["x-tollgate-cost-mode"] === "quote"
    const headers = { "x-tollgate-cost-micros-usd": String(cost), "x-tollgate-cost-state": "settled" }
    return (isQuote ? quoted(most) : answer(200, ranking, headers))(request, url, signal)
  })
  const modes = () => made.sent.map(({ request }) => request.headers["x-tollgate-cost-mode"] ?? "call")
  return { ...made, modes }
}

const never: Handler = () => expect.fail("nothing should be sent")

const others = ["quote", "resume", "with", "withBudget", "close"]

describe("the names", () => {
  it("are the same as with Effect", async () => {
    const { client } = serving(never)
    const isCall = (name: string) => name in operations || /^(?!to).*(Stream|Pages|Items|Progress|Video)$/.test(name)
    const functions = Object.keys(whole).filter(isCall)
    expect(functions.length).toBeGreaterThan(30)
    expect(Object.keys(client).toSorted()).toEqual([...functions, ...others].toSorted())
    await client.close()
  })

  it("has a quote for every billed operation", async () => {
    const { client } = serving(never)
    const costing = Object.entries(operations).filter(
      ([, f]) => "operation" in f && isQuotable(f.operation as Operation)
    )
    expect(Object.keys(client.quote).toSorted()).toEqual(costing.map(([name]) => name).toSorted())
    await client.close()
  })
})

describe("a quote", () => {
  it("is requested instead of the call", async () => {
    const { client, modes } = billing(40, 40)
    expect(await client.quote.rerank(question)).toMatchObject({ max_micros_usd: 40 })
    expect(modes()).toEqual(["quote"])
    const reason = new Error("changed my mind")
    await expect(client.quote.rerank(question, { signal: AbortSignal.abort(reason) })).rejects.toMatchObject({
      name: "AbortError",
      cause: reason
    })
    await client.close()
  })
})

describe("a budget", () => {
  it("is shared by all calls of its client, and by no other client", async () => {
    const { client } = billing(400_000, 400_000)
    const budgeted = client.withBudget("1.00")
    await budgeted.rerank(question)
    const both = await Promise.allSettled([budgeted.rerank(question), budgeted.rerank(question)])
    expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"])
    const error: unknown = await budgeted.rerank(question).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(BudgetExceeded)
    expect(error).toMatchObject({ most: { usd: "0.4" }, left: { usd: "0.2", micros: 200_000 } })
    await client.withBudget("1.00").rerank(question)
    await client.rerank(question)
    await client.close()
  })

  it("deducts what a call cost, not its maximum", async () => {
    const { client } = billing(600_000, 100_000)
    const budgeted = client.withBudget("1.00")
    for (let i = 0; i < 5; i++) await budgeted.rerank(question)
    await expect(budgeted.rerank(question)).rejects.toMatchObject({ left: { usd: "0.5" } })
    await client.close()
  })

  it("within another is limited by both", async () => {
    const { client } = billing(400_000, 400_000)
    const outer = client.withBudget("1.00")
    const inner = outer.withBudget("0.50")
    await inner.rerank(question)
    await expect(inner.rerank(question)).rejects.toMatchObject({ left: { usd: "0.1" } })
    await outer.rerank(question)
    await expect(outer.withBudget("5").rerank(question)).rejects.toMatchObject({ left: { usd: "0.2" } })
    await client.close()
  })

  it("applies to streams as well", async () => {
    const { client, sent } = billing(400_000, 400_000)
    const stream = client.withBudget("0.10").chatCompletionsStream({ model: "m", messages: [] })
    await expect(stream.text()).rejects.toBeInstanceOf(BudgetExceeded)
    expect(sent).toHaveLength(1)
    await client.close()
  })

  it("is an amount of USD", async () => {
    const { client } = serving(never)
    for (const usd of ["much", "-1", "", "1e3"]) expect(() => client.withBudget(usd)).toThrow(InputInvalid)
    await client.close()
  })

  it("shares its connections, which are closed together", async () => {
    const { client } = serving(never)
    await client.withBudget("1").close()
    await expect(client.rerank(question)).rejects.toThrow("closed")
  })
})

it("prints as a list of its functions", async () => {
  const { client } = serving(never)
  expect(inspect(client)).toMatch(/^Client \{ .*\brerank, .* \}$/)
  await client.close()
})

describe("a list", () => {
  const pages: Handler = (request, url, signal) => {
    const at = Number(url.searchParams.get("cursor") ?? 0)
    const tweets = [0, 1, 2].map((i) => ({ id: String(at * 3 + i) }))
    return answer(200, { tweets, has_next_page: at < 2, next_cursor: String(at + 1) })(request, url, signal)
  }

  it("is read item by item or page by page", async () => {
    const { client } = serving(pages)
    const ids: Array<unknown> = []
    for await (const { id } of client.tweetQuotesItems({ tweetId: "7" })) ids.push(id)
    expect(ids).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8"])
    const sizes: Array<number> = []
    for await (const { tweets } of client.tweetQuotesPages({ tweetId: "7" })) sizes.push(tweets.length)
    expect(sizes).toEqual([3, 3, 3])
    await client.close()
  })

  it("is requested as far as it is read, each page with the same cap and its own key", async () => {
    const { client, sent } = serving(pages)
    let taken = 0
    for await (const _ of client.tweetQuotesItems({ tweetId: "7" }, { maxPrice: "0.01" })) if (++taken === 4) break
    const headers = sent.map(({ request }) => request.headers)
    expect(headers.map((one) => one["x-tollgate-max-price-usd"])).toEqual(["0.01", "0.01"])
    expect(new Set(headers.map((one) => one["idempotency-key"])).size).toBe(2)
    await client.close()
  })

  it("throws the errors of its calls", async () => {
    const { client } = serving(pages)
    const items = client.postCommentsItems({ url: "u" })
    const read = async () => {
      for await (const _ of items) expect.fail("there is no page")
    }
    await expect(read()).rejects.toBeInstanceOf(InputInvalid)
    await client.close()
  })
})

it("a selection of functions is a client of its own", async () => {
  const { layer } = events([data(choice("a"), "[DONE]")])
  const { chatCompletionsStream, rerank } = whole
  const client = promises({ rerank, chatCompletionsStream }, layer)
  expect(Object.keys(client)).toEqual([
    "rerank",
    "chatCompletionsStream",
    "quote",
    "resume",
    "with",
    "withBudget",
    "close"
  ])
  expect(Object.keys(client.quote)).toEqual(["rerank"])
  expect(await client.chatCompletionsStream({ model: "m", messages: [] }).text()).toBe("a")
  await client.close()
})

it("the types are derived too", async () => {
  const { client } = serving(never)
  type C = typeof client
  type Iterated<T> = T extends AsyncIterable<infer A> ? A : never
  expectTypeOf<ReturnType<C["awaitVideo"]>>().toEqualTypeOf<CallPromise<VideoTask>>()
  expectTypeOf<ReturnType<C["quote"]["follow"]>>().toEqualTypeOf<CallPromise<CallPrice>>()
  expectTypeOf<Iterated<ReturnType<C["tweetQuotesItems"]>>>().toEqualTypeOf<Tweet>()
  expectTypeOf<Iterated<ReturnType<C["tweetQuotesPages"]>>>().toEqualTypeOf<TweetPage>()
  expectTypeOf<ReturnType<C["messagesStream"]>["text"]>().toEqualTypeOf<() => Promise<string>>()
  expectTypeOf<C["quote"]>().not.toHaveProperty("modelList")
  expectTypeOf<C>().not.toHaveProperty("linkCallback")
  type Options<F extends (...args: never) => unknown> = NonNullable<Parameters<F>[1]>
  type StreamOptions = Options<C["chatCompletionsStream"]>
  expectTypeOf<NonNullable<StreamOptions["onCharge"]>>().toEqualTypeOf<(charge: Charge) => void | Promise<void>>()
  expectTypeOf<NonNullable<StreamOptions["idleTimeout"]>>().toEqualTypeOf<Time | Duration.Duration>()
  expectTypeOf<NonNullable<Options<C["awaitVideo"]>["timeout"]>>().toEqualTypeOf<Time | Duration.Duration>()
  expectTypeOf<StreamOptions>().toHaveProperty("idempotencyKey")
  expectTypeOf<Options<C["tweetQuotesPages"]>>().toHaveProperty("maxPrice")
  // One key cannot cover several calls.
  expectTypeOf<Options<C["tweetQuotesPages"]>>().not.toHaveProperty("idempotencyKey")
  expectTypeOf<ReturnType<C["tweetQuotesPages"]>>().not.toHaveProperty("text")
  // @ts-expect-error: rerank does not report a charge
  const wrong = () => client.rerank(question, { onCharge: () => {} })
  expectTypeOf(wrong).toBeFunction()
  await client.close()
})
