import type { AuditReport } from "@tollgate/contract/admin/Audit"
import type { PriceList, PricePreview } from "@tollgate/contract/admin/Prices"
import type { Quote } from "@tollgate/contract/resources/Quote"
import { describe, expect, it } from "vitest"
import { operatedGateway } from "./setup.ts"

const above = 300
const short = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }
const long = { input: 4, output: 15, cacheRead: 0.4, cacheWrite: 5 }
const written = (rates: object) => Object.fromEntries(Object.entries(rates).map(([kind, usd]) => [kind, String(usd)]))
const price = { ...written(short), longPrompt: { above, ...written(long) } }

const { account, caller, post, read } = operatedGateway(JSON.stringify({ prices: { models: { sandbox: price } } }))

interface Usage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly prompt_tokens_details: { readonly cached_tokens: number }
}

const bodyOf = (bytes: number, rest: object = {}) => ({
  model: "sandbox",
  max_tokens: 20,
  messages: [{ role: "user", content: "x".repeat(bytes) }],
  ...rest
})

const ask = (bytes: number, headers: Readonly<Record<string, string>> = {}, rest: object = {}) =>
  caller().send({ path: "/v1/chat/completions", headers, body: bodyOf(bytes, rest) })

const called = async (bytes: number, headers: Readonly<Record<string, string>> = {}) => {
  const answer = await ask(bytes, headers)
  expect(answer.status, answer.text).toBe(200)
  const { usage } = answer.json() as { usage: Usage }
  return { usage, cost: Number(answer.headers.get("x-tollgate-cost-micros-usd")) }
}

const costOf = ({ completion_tokens, prompt_tokens, prompt_tokens_details }: Usage): number => {
  const rates = prompt_tokens > above ? long : short
  const { cached_tokens: cached } = prompt_tokens_details
  return Math.round(
    rates.input * (prompt_tokens - cached) + rates.cacheRead * cached + rates.output * completion_tokens
  )
}

const balance = async () => (await read<{ balance_micros_usd: number }>(`/accounts/${account()}`)).balance_micros_usd

/** The bytes of the longest text whose prompt is not long. */
const longestShort = async () => {
  const tokens = async (bytes: number) => (await called(bytes)).usage.prompt_tokens
  let bytes = 4 * above - 4 * (await tokens(4))
  while ((await tokens(bytes)) <= above) bytes += 1
  return bytes - 1
}

describe("a model with a price for long prompts", () => {
  it("charges all tokens of a call by the length of its prompt, also if a part is cached, and the books agree", async () => {
    const bytes = await longestShort()
    const before = await balance()
    const cached = { "x-tollgate-scenario": "cached; tokens=100" }
    const calls = [
      await called(bytes),
      await called(bytes + 1),
      await called(bytes, cached),
      await called(bytes + 1, cached)
    ]
    expect(calls.map(({ usage }) => usage.prompt_tokens)).toEqual([above, above + 1, above, above + 1])
    expect(calls.map(({ usage }) => usage.prompt_tokens_details.cached_tokens)).toEqual([0, 0, 100, 100])
    for (const { cost, usage } of calls) expect(cost).toBe(costOf(usage))
    expect(before - (await balance())).toBe(calls.reduce((sum, { cost }) => sum + cost, 0))
    expect(await post<AuditReport>("/audit")).toMatchObject({ correct: true, differences: [], open: 0 })
  })

  it("reserves and quotes the higher price where the prompt may be long, and keeps a cap", async () => {
    const quote = async (bytes: number) =>
      (await ask(bytes, { "x-tollgate-cost-mode": "quote" })).json() as typeof Quote.Encoded
    const [least, most] = [await quote(10), await quote(4 * above)]
    expect(least.basis).toContain(`if the prompt has more than ${above} tokens, $4 in, `)
    expect(least.max_micros_usd).toBeLessThan(above * short.cacheWrite + 20 * short.output)
    expect(most.max_micros_usd).toBeGreaterThan(4 * above * long.cacheWrite + 20 * long.output)
    const { cost } = await called(4 * above)
    expect(cost).toBeLessThanOrEqual(most.max_micros_usd)

    const cap = { "x-tollgate-max-price-usd": "0.0065" }
    const answer = await ask(4 * above, cap, { max_tokens: undefined })
    expect([answer.status, Number(answer.headers.get("x-tollgate-cost-micros-usd")) <= 6_500]).toEqual([200, true])
    expect((await ask(4 * above, { "x-tollgate-max-price-usd": "0.005" }, { max_tokens: undefined })).status).toBe(402)
  })

  it("charges an answer without usage, and a stream that breaks off, by the prompt that it counts", async () => {
    const before = await balance()
    const missing = await ask(8 * above, { "x-tollgate-scenario": "no-usage" })
    const cost = Number(missing.headers.get("x-tollgate-cost-micros-usd"))
    expect(cost).toBeGreaterThan(2 * above * long.input)
    expect(cost).toBeLessThan(2.1 * above * long.input + 20 * long.output)
    const cut = await ask(8 * above, { "x-tollgate-scenario": "truncated; after=3" }, { stream: true })
    expect(cut.status).toBe(200)
    const spent = before - (await balance())
    expect(spent - cost).toBeGreaterThan(2 * above * long.input)
    expect(spent - cost).toBeLessThan(2.1 * above * long.input + 20 * long.output)
  })

  it("is listed as the file has it, and a preview of the prices in force finds what was charged", async () => {
    const { prices } = await read<PriceList>("/prices")
    const line = prices.find(({ model, operation }) => operation === "chat.completions" && model === "sandbox")
    expect(line?.config).toEqual(price)
    const { totals } = await post<PricePreview>("/prices/preview", { prices: { models: { sandbox: line?.config } } })
    expect(totals.charged_before_micros_usd).toBeGreaterThan(0)
    expect(totals.charged_after_micros_usd).toBe(totals.charged_before_micros_usd)
    const { longPrompt: _, ...flat } = price
    const without = await post<PricePreview>("/prices/preview", { prices: { models: { sandbox: flat } } })
    expect(Number(without.totals.charged_after_micros_usd)).toBeLessThan(Number(totals.charged_after_micros_usd))
  })
})
