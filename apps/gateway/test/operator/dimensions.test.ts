import type { PriceList, PricePreview } from "@tollgate/contract/admin/Prices"
import { describe, expect, it } from "vitest"
import { operatedGateway } from "./setup.ts"

const price = {
  input: "1",
  output: "10",
  cacheRead: "0.1",
  cacheWriteLong: "2",
  audioInput: "32",
  tiers: { batch: "0.5", flex: "0.5", fast: { input: "3" } },
  defaultTier: "fast",
  speeds: { fast: "2" },
  regions: { us: "1.1" },
  tools: { web_search: "0.01", googleSearch: { perCall: "0.035" } },
  periods: [
    { until: "2020-01-01", rates: "5" },
    { from: "2020-01-01", rates: "2" }
  ],
  thinks: true
}

const { caller, post, read } = operatedGateway(JSON.stringify({ prices: { models: { sandbox: price } } }))

describe("a model with prices in every dimension", () => {
  it("is charged at the price of the time, and a preview of the prices in force finds that", async () => {
    const answer = await caller().send({
      path: "/v1/chat/completions",
      body: { model: "sandbox", max_tokens: 20, messages: [{ role: "user", content: "Hello" }] }
    })
    const { usage } = answer.json() as { usage: { prompt_tokens: number; completion_tokens: number } }
    const cost = 2 * usage.prompt_tokens + 20 * usage.completion_tokens
    expect([answer.status, Number(answer.headers.get("x-tollgate-cost-micros-usd"))]).toEqual([200, cost])

    const { prices } = await read<PriceList>("/prices")
    const line = prices.find(({ model, operation }) => operation === "chat.completions" && model === "sandbox")
    expect(line?.config).toEqual(price)
    expect(line?.words).toContain("served as batch or flex, 0.5 times that")
    expect(line?.words).toContain("from 2020-01-01, 2 times that")

    const preview = async (model: unknown) =>
      (await post<PricePreview>("/prices/preview", { prices: { models: { sandbox: model } } })).totals
    expect(await preview(line?.config)).toMatchObject({
      not_computable: 0,
      charged_before_micros_usd: cost,
      charged_after_micros_usd: cost
    })
    const { periods: _, ...undated } = price
    expect(await preview(undated)).toMatchObject({ charged_after_micros_usd: cost / 2 })
  })

  it("has them on its page, and a model without them has no such part", async () => {
    const page = async (id: string) => (await caller().send({ path: `/docs/operations/${id}` })).text
    const chat = await page("chat.completions")
    expect(chat).toContain("Long cache write")
    expect(chat).toContain("Audio input")
    expect(chat).not.toContain("Video input")
    expect(chat).toContain("$0.01 for each use of web_search; $0.035 for a call that uses googleSearch")
    expect(chat).toContain("<code>service_tier</code>")
    const rerank = await page("rerank")
    expect(rerank).toContain("/ 1M tokens")
    expect(rerank).not.toContain("What else changes the price")
  })

  it("has them in what agents read", async () => {
    const result = await caller().send({
      path: "/mcp",
      headers: {
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "get_details"
      },
      body: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "get_details",
          arguments: { operation_id: "chat.completions", full: true },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}
          }
        }
      }
    })
    expect(result.text).toContain("cache_write_long")
    expect(result.text).toMatch(/web_search\\?":0\.01/)
    expect(result.text).not.toContain("dimensions")
  })
})
