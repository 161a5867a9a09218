import {
  type CallOptions,
  chatCompletions,
  chatCompletionsStream,
  createClient,
  type Options,
  rerank
} from "@tollgate/client"
import { budget } from "@tollgate/client/budget"
import { hang, reply, says, testClient } from "@tollgate/client/testing"
import { describe, expect, it } from "vitest"
import { question, ranking } from "./scripted.ts"

const chat = { model: "m", messages: [{ role: "user", content: "?" }] } as const

const client = () => {
  const all = testClient({ headers: { "x-team": "search", "x-a": "1" }, tags: { team: "search" }, pace: false })
  all.gateway.price(rerank, "0.0004").on(rerank, reply(ranking, { cost: "0.0001" }))
  all.gateway.price(chatCompletions, "0.0004").on(chatCompletionsStream, says(["Hello"], { cost: "0.0001" }))
  return all
}

describe("a derived client", () => {
  it("adds its options to each call, and leaves its parent as it is", async () => {
    const { client: tollgate, gateway } = client()
    const forAnna = tollgate.with({ tags: { user: "anna" }, headers: { "x-a": "2" }, maxPrice: "0.01" })
    await forAnna.rerank(question)
    await forAnna.chatCompletionsStream(chat).text()
    await forAnna.rerank(question, { tags: { job: "nightly" }, headers: { "x-b": "3" } })
    await tollgate.rerank(question)
    const sent = gateway.requests.map(({ headers }) =>
      ["x-tollgate-tags", "x-a", "x-b", "x-team", "x-tollgate-max-price-usd"].map((name) => headers[name])
    )
    const own = ["user=anna", "2", undefined, "search", "0.01"]
    expect(sent).toEqual([
      own,
      own,
      ["job=nightly", "2", "3", "search", "0.01"],
      ["team=search", "1", undefined, "search", undefined]
    ])
    await tollgate.close()
  })

  it("looks like its parent", async () => {
    const { client: tollgate } = client()
    const derived = tollgate.with({})
    expect(Object.keys(derived)).toEqual(Object.keys(tollgate))
    expect(derived.rerank).toBe(derived.rerank)
    expect(derived.rerank).not.toBe(tollgate.rerank)
    const copy = { ...tollgate.with({ budget: "0.0001" }) }
    await expect(copy.rerank(question)).rejects.toMatchObject({ _tag: "BudgetExceeded" })
    expect((await derived.quote.rerank(question)).max_micros_usd).toBe(400)
    expect("then" in derived).toBe(false)
    expect(await derived).toBe(derived)
    await tollgate.close()
  })

  it("of a derived client has the options of both", async () => {
    const { client: tollgate, gateway } = client()
    await tollgate
      .with({ maxPrice: "0.01" })
      .with({ tags: { request: "7" }, maxPrice: undefined })
      .rerank(question)
    expect(gateway.requests[0]?.headers).toMatchObject({
      "x-tollgate-max-price-usd": "0.01",
      "x-tollgate-tags": "request=7"
    })
    await tollgate.close()
  })

  it("has a time limit of its own", async () => {
    const { client: tollgate, clock, gateway } = client()
    gateway.on(rerank, hang())
    const called = tollgate.with({ timeout: "5 seconds", retries: 0 }).rerank(question)
    const failed = expect(called).rejects.toMatchObject({ code: "timeout" })
    await clock.advance("5 seconds")
    await failed
    await tollgate.close()
  })

  it("spends from its own budget and from that of its parent", async () => {
    const { client: tollgate } = client()
    const careful = tollgate.withBudget("0.001")
    const forAnna = careful.with({ budget: "0.0005" })
    await forAnna.rerank(question)
    const spent = { usd: "0.0001", micros: 100 }
    expect(await budget(forAnna)).toMatchObject({ spent, left: { usd: "0.0004", micros: 400 } })
    expect(await budget(careful)).toMatchObject({ spent, left: { usd: "0.0009", micros: 900 } })
    await forAnna.rerank(question)
    await expect(forAnna.with({ tags: { a: "b" } }).rerank(question)).rejects.toMatchObject({ _tag: "BudgetExceeded" })
    await careful.rerank(question)
    await tollgate.close()
  })

  it("refuses an option that it does not know, and a budget that is none", async () => {
    const { client: tollgate } = client()
    expect(() => tollgate.with({ tag: { a: "b" } } as never)).toThrow("Unknown option tag. Did you mean tags?")
    expect(() => tollgate.with({ credential: "k" } as never)).toThrow("Unknown option credential")
    expect(() => tollgate.with({ budget: "1,00" })).toThrow("A budget is decimal USD")
    await tollgate.close()
  })

  it("is cheap enough to make for every call", async () => {
    const { client: tollgate } = client()
    const made = 2_000
    const began = performance.now()
    for (let i = 0; i < made; i++) tollgate.with({ tags: { request: String(i) } })
    const micros = (1_000 * (performance.now() - began)) / made
    expect(micros).toBeLessThan(200)
    if (process.env["SHOW_COSTS"] !== undefined) console.log(`${micros.toFixed(1)} µs`)
    await tollgate.close()
  })
})

it("an option that is undefined is one that is not there", async () => {
  const { client: tollgate, gateway } = client()
  const maybe: string | undefined = process.env["NOT_THERE"]
  const nothing = undefined as never
  const options = {
    signal: nothing as AbortSignal | undefined,
    tags: nothing as Record<string, string> | undefined,
    maxPrice: maybe,
    idempotencyKey: maybe,
    timeout: nothing as number | undefined,
    headers: nothing as Record<string, string> | undefined,
    cache: nothing as CallOptions["cache"]
  }
  await tollgate.rerank(question, options)
  await tollgate.chatCompletionsStream(chat, { ...options, resumable: undefined, onCharge: undefined }).text()
  await tollgate.with({ tags: undefined, budget: maybe, headers: undefined }).rerank(question)
  expect(new Set(gateway.requests.map(({ headers }) => headers["x-tollgate-tags"]))).toEqual(new Set(["team=search"]))
  const none: Options = {
    credential: maybe,
    baseUrl: maybe,
    tags: undefined,
    timeout: undefined,
    pace: undefined,
    retry: undefined,
    observe: undefined,
    log: undefined,
    names: undefined,
    bindings: undefined
  }
  const other = createClient({ ...none, credential: "k", fetch: undefined })
  await Promise.all([tollgate.close(), other.close()])
})
