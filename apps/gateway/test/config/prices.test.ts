import * as Catalogue from "@tollgate/contract/Catalogue"
import { formatUsd, type NanoUsd } from "@tollgate/contract/Money"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import { contractOf, estimate } from "@tollgate/contract/price/contracts"
import * as Option from "effect/Option"
import { describe, expect, it } from "vitest"
import { decoded } from "./decoded.ts"

const { byId } = Catalogue.make(operations, defaults, { "images.generate": { path: "/v1/images" } })

const bookOf = (prices: unknown) => {
  const book = decoded({ prices }).prices
  return (id: string, model?: string) => {
    const operation = byId.get(id)
    if (operation === undefined) throw new Error(id)
    return book.of(operation, model)
  }
}

describe("prices", () => {
  it("override the amounts of each price contract and keep the rest", () => {
    const of = bookOf({
      operations: {
        rerank: { perMillion: "0.1" },
        "images.generate": { amount: "0.04" },
        "video.create": { contract: "per_task", amount: "0.5" },
        "reseller.social_b.user_stories": { amount: "0.000000001" },
        "social_b.post_comments": { perItem: "0.001" }
      }
    })
    const texts = [{ field: "query", timesItemsOf: "documents" }, { field: "documents" }]
    expect(of("rerank")).toEqual({ contract: "per_token", perMillion: 100_000_000n, texts })
    const times = { field: ["n"], unit: "image", otherwise: 1 }
    expect(of("images.generate")).toEqual({ contract: "per_request", amount: 40_000_000n, times })
    expect(of("video.create")).toEqual({ contract: "per_task", amount: 500_000_000n })
    expect(of("reseller.social_b.user_stories")).toEqual({
      contract: "body_code",
      amount: 1n,
      field: "code",
      equals: 200
    })
    expect(of("social_b.post_comments")).toEqual({
      contract: "response_count",
      perItem: 1_000_000n,
      items: "comments",
      most: 50
    })
    expect(of("social_a.follow")).toEqual({ contract: "per_request", amount: "pending" })
    expect(of("usage")).toEqual({ contract: "free" })
  })

  it("of a fixed amount can depend on fields of the request", () => {
    const of = bookOf({
      operations: {
        "images.generate": {
          amount: "0.04",
          variants: [{ where: { size: ["512x512", null], quality: "low" }, amount: "0.01" }]
        },
        "video.create": {
          amount: "0.1",
          times: { field: "parameters.duration", unit: "second", otherwise: 5 },
          variants: [{ where: { "parameters.resolution": "480P" }, amount: "0.05" }]
        }
      }
    })
    const amountOf = (id: string, request: object) => {
      const listed = of(id)
      const price = contractOf(listed).resolve?.(listed, request) ?? listed
      return "amount" in price ? price.amount : undefined
    }
    expect(amountOf("images.generate", { n: 2, size: "512x512", quality: "low" })).toBe(20_000_000n)
    expect(amountOf("images.generate", { n: 2, quality: "low" })).toBe(20_000_000n)
    expect(amountOf("images.generate", { n: 2, size: "512x512" })).toBe(80_000_000n)
    expect(amountOf("video.create", { parameters: { duration: 3, resolution: "480P" } })).toBe(150_000_000n)
    expect(amountOf("video.create", {})).toBe(500_000_000n)
  })

  it("of a model with a date are those of its name without it, before any pattern", () => {
    const of = bookOf({
      models: {
        "gpt-6-astra": { input: "10", output: "50" },
        "gpt-*": { input: "0.1", output: "0.1" },
        "gpt-6-*": { input: "0.2", output: "0.2" }
      }
    })
    const most = (model: string) => {
      const request = { model, messages: [], max_tokens: 1_000 }
      const { likely } = Option.getOrThrow(estimate(of("chat.completions", model), request, undefined, model))
      return Number(formatUsd(likely))
    }
    for (const date of ["", "-2026-08-01", "-20260801", "-latest", "@20260801", "-08-2026"]) {
      expect(most(`gpt-6-astra${date}`), date).toBeGreaterThan(0.05)
    }
    expect(most("gpt-6-sol-latest")).toBeGreaterThan(0.0002)
    expect(most("gpt-5-2026-08-01")).toBeLessThan(0.0002)
  })

  it("of a task can depend on what it reports", () => {
    const section = {
      amount: "0.1",
      times: { field: "parameters.duration", reported: "usage.seconds", unit: "second", otherwise: 5 },
      variants: [{ where: { "parameters.resolution": ["480P", 480] }, amount: "0.05" }],
      reported: { "parameters.resolution": "usage.SR" }
    }
    const of = bookOf({ operations: { "video.create": section } })
    const price = of("video.create")
    expect(price).toMatchObject({
      times: { reported: ["usage", "seconds"] },
      reported: [{ field: ["parameters", "resolution"], at: ["usage", "SR"] }]
    })
    // It is written as it was read.
    expect(contractOf(price).written(price)).toEqual({ contract: "per_task", ...section, variants: section.variants })
    const tokens = { amount: "0.000002", times: { reported: "usage.tokens", unit: "token", otherwise: 500_000 } }
    expect(bookOf({ operations: { "video.create": tokens } })("video.create")).toMatchObject({ amount: 2_000n })
    const wrong = [
      { ...section, times: { unit: "second", otherwise: 5 } },
      { ...section, reported: { "parameters.size": "usage.SR" } },
      { ...section, reported: { "parameters.resolution": "" } },
      { ...section, times: { ...section.times, reported: 5 } }
    ]
    for (const one of wrong) {
      expect(() => decoded({ prices: { operations: { "video.create": one } } })).toThrow()
      expect(() => decoded({ prices: { operations: { "images.generate": section } } })).toThrow()
    }
  })

  it("of an operation without a body cannot depend on its fields", () => {
    const wrong = { prices: { operations: { "social_a.tweet_quotes": { amount: "1", variants: [] } } } }
    expect(() => decoded(wrong)).toThrow()
  })

  it("can make an operation free, or billed per call", () => {
    const of = bookOf({
      operations: {
        rerank: "free",
        messages: { contract: "per_request", amount: "0.01" },
        "social_b.post_comments": { perItem: "0.001", most: 7 }
      }
    })
    expect(of("rerank")).toEqual({ contract: "free" })
    expect(of("messages", "any")).toEqual({ contract: "per_request", amount: 10_000_000n })
    expect(of("social_b.post_comments")).toMatchObject({ most: 7 })
  })
})

describe("prices of models", () => {
  const price = (input: string, rest = {}) => ({ input, output: "9", ...rest })
  const of = bookOf({
    models: {
      "gpt-*": price("1"),
      "gpt-4*": price("2"),
      "gpt-4o": price("3", { cacheRead: "0.5", cacheWrite: "4" }),
      "gpt-4o-mini-*": price("5"),
      "claude-1": price("6")
    },
    operations: { messages: { models: { "claude-*": price("7") } } }
  })

  const inputOf = (operation: string, model: string): string => {
    const found = of(operation, model)
    return found.contract === "model_tokens" && Object.hasOwn(found.models, model)
      ? formatUsd(found.models[model]?.input as NanoUsd)
      : "none"
  }

  it.each([
    ["chat.completions", "gpt-4o", "3"],
    ["chat.completions", "gpt-4o-mini", "2"],
    ["chat.completions", "gpt-4o-mini-2", "5"],
    ["chat.completions", "gpt-3", "1"],
    ["chat.completions", "gpt-", "1"],
    ["chat.completions", "gpt", "none"],
    ["chat.completions", "gpt-*", "none"],
    ["chat.completions", "toString", "none"],
    ["chat.completions", "__proto__", "none"],
    ["chat.completions", "claude-1", "6"],
    ["messages", "claude-1", "7"],
    ["messages", "gpt-4o", "3"]
  ])("%s: %s costs %s", (operation, model, input) => {
    expect(inputOf(operation, model)).toBe(input)
  })

  it("of caches default to the price of input", () => {
    expect(of("chat.completions", "gpt-4o")).toMatchObject({
      models: { "gpt-4o": { input: 3_000_000_000n, cacheRead: 500_000_000n, cacheWrite: 4_000_000_000n } },
      defaultOutputLimit: 4_096
    })
    expect(of("chat.completions", "gpt-3")).toMatchObject({
      models: { "gpt-3": { cacheRead: 1_000_000_000n, cacheWrite: 1_000_000_000n } }
    })
  })

  it("may have a price for long prompts; what it leaves out is as for other prompts", () => {
    const longOf = (rest: object) => {
      const found = bookOf({ models: { m: price("2", rest) } })("chat.completions", "m")
      return found.contract === "model_tokens" ? found.models.m?.longPrompt : undefined
    }
    const nano = (usd: number) => BigInt(usd * 1_000_000_000)
    const written = { above: 1, input: "4", output: "18", cacheRead: "0.5", cacheWrite: "5" }
    const [input, output] = [nano(4), nano(18)]
    expect(longOf({ longPrompt: written })).toEqual({
      above: 1,
      input,
      output,
      cacheRead: nano(0.5),
      cacheWrite: nano(5)
    })
    const short = { cacheRead: "0.25", longPrompt: { above: 200_000, input: "4" } }
    expect(longOf(short)).toEqual({ above: 200_000, input, output: nano(9), cacheRead: nano(0.25), cacheWrite: input })
    expect(longOf({ longPrompt: { above: 5, output: "1" } })).toMatchObject({ input: nano(2), output: nano(1) })
    expect(longOf({})).toBeUndefined()
  })

  it("may have the model's figures", () => {
    const figures = { maxOutput: 16_384, contextWindow: 128_000, imageTokens: 1_105 }
    const book = bookOf({ models: { "gpt-*": price("1", figures) } })
    expect(book("chat.completions", "gpt-4o")).toMatchObject({ models: { "gpt-4o": figures } })
  })

  it("apply to the estimate; without a model only exact names are listed", () => {
    const body = { model: "gpt-3", max_tokens: 10 }
    expect(Option.isSome(estimate(of("chat.completions", "gpt-3"), body))).toBe(true)
    expect(Option.isNone(estimate(of("chat.completions", "other"), { model: "other" }))).toBe(true)
    const withoutModel = of("messages")
    expect(withoutModel.contract === "model_tokens" && Object.keys(withoutModel.models).sort()).toEqual([
      "claude-1",
      "gpt-4o"
    ])
  })
})
