import type { PriceList } from "@tollgate/contract/admin/Prices"
import { describe, expect, it } from "vitest"
import { operatedGateway } from "./operator/setup.ts"

const upstream = (protocol: string) => ({ protocol, baseUrl: "http://127.0.0.1:9", private: true })

const { address, caller, read } = operatedGateway(
  JSON.stringify({
    upstreams: { "own-openai": upstream("openai"), "own-claude": upstream("anthropic") },
    routes: [
      { operation: "chat.completions", model: "both", to: [{ upstream: "own-openai" }, { upstream: "own-claude" }] },
      { operation: "messages", model: "both", to: [{ upstream: "own-claude" }] },
      { operation: "messages", model: "far-*", to: [{ upstream: "own-openai" }] },
      { operation: "embeddings", to: [{ upstream: "own-openai" }] }
    ],
    models: [{ id: "far-2" }],
    prices: {
      models: {
        both: { input: "3", output: "15" },
        "far-1": { input: "1", output: "2" },
        "far-*": { input: "1.5", output: "2" },
        nowhere: { input: "7", output: "9" }
      }
    }
  })
)

/** The texts of the rows of a page's tables, with one space where the page has several. */
const rows = async (path: string): Promise<ReadonlyArray<string>> => {
  const page = await (await fetch(`${address()}/docs/${path}`)).text()
  return [...page.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = ""]) =>
    row
      .replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim()
  )
}

const priced = async (operation: string) => {
  const answer = await caller().send({ method: "GET", path: `/v1/prices?operation_id=${operation}` })
  const { prices } = answer.json() as { prices: ReadonlyArray<{ models?: ReadonlyArray<{ model: string }> }> }
  return prices.flatMap(({ models = [] }) => models.map(({ model }) => model))
}

describe("a model is listed only under the operations that reach it", () => {
  it("on the pages of the docs, with the protocols of its upstreams", async () => {
    const chat = (await rows("chat.completions")).filter((row) => /^(both|far|nowhere)/.test(row))
    expect(chat).toEqual([expect.stringMatching(/^both openai, anthropic \(translated\) \$3 .*\$15/)])
    const messages = (await rows("messages")).filter((row) => /^(both|far|nowhere)/.test(row))
    expect(messages).toEqual([
      expect.stringMatching(/^both anthropic \$3 /),
      expect.stringMatching(/^far-1 openai \(translated\) \$1 /),
      expect.stringMatching(/^far-2 openai \(translated\) \$1.5/)
    ])
    const page = await (await fetch(`${address()}/docs/responses`)).text()
    expect(page).toContain("no model is offered at a price")
  })

  it("on the page of models, with its operations", async () => {
    expect((await rows("models")).slice(1)).toEqual([
      "both chat.completions openai, anthropic (translated) $3 $15",
      "both messages anthropic $3 $15",
      "both embeddings openai $3 $15",
      "far-1 messages openai (translated) $1 $2",
      "far-1 embeddings openai $1 $2",
      "far-2 messages openai (translated) $1.50 $2",
      "far-2 embeddings openai $1.50 $2",
      "nowhere embeddings openai $7 $9"
    ])
    const links = await (await fetch(`${address()}/docs/models`)).text()
    expect(links).toContain('href="/docs/chat.completions"')
  })

  it("in the prices that callers read, and in the tools", async () => {
    expect(await priced("chat.completions")).toEqual(["both"])
    expect(await priced("responses")).toEqual([])
    expect((await priced("messages")).toSorted()).toEqual(["both", "far-1", "far-2"])
    expect(await priced("embeddings")).toContain("nowhere")
  })

  it("and the operator sees by which upstreams, and which price leads nowhere", async () => {
    const { prices } = await read<PriceList>("/prices")
    const served = (operation: string, model: string) =>
      prices.find((line) => line.operation === operation && line.model === model)?.upstreams
    expect(served("chat.completions", "both")).toEqual(["own-openai", "own-claude"])
    expect(served("messages", "far-1")).toEqual(["own-openai"])
    expect(served("chat.completions", "nowhere")).toEqual([])
    expect(served("messages", "far-*")).toBeNull()
    expect(prices.find(({ operation }) => operation === "account.balance")?.upstreams).toBeNull()
  })
})
