import { micro, usd } from "@tollgate/contract/Money"
import { one, type Price } from "@tollgate/contract/price/Price"
import { Models } from "@tollgate/contract/price/contracts/modelSection"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { readEvidence, recompute } from "../../../src/endpoints/admin/prices/recorded.ts"

const cost = (
  price: Price,
  evidence: string,
  { cap, multiplier = one }: { cap?: bigint; multiplier?: bigint } = {}
) => {
  const found = recompute(
    { ...readEvidence(evidence), operation: "any", at: 0, cap: cap === undefined ? undefined : micro(cap), multiplier },
    () => price
  )
  return found && [found.value, found.charged]
}

const image: Price = {
  contract: "per_request",
  amount: usd("0.02"),
  times: { field: ["n"], unit: "image", otherwise: 1 }
}
const perTask: Price = { contract: "per_task", amount: usd("0.05") }
const bySize: Price = { ...perTask, variants: [{ amount: usd("1"), where: [{ field: ["size"], values: ["4k"] }] }] }

describe("another price for a recorded call", () => {
  it("has the multiplier of the account in its charge, and never exceeds the cap", () => {
    const price: Price = { contract: "per_request", amount: usd("0.01") }
    expect(cost(price, '{"kind":"request"}', { multiplier: 1_450_000n })).toEqual([10_000n, 14_500n])
    expect(cost(price, '{"kind":"request"}', { multiplier: 1_450_000n, cap: 12_000n })).toEqual([10_000n, 12_000n])
    expect(cost(price, '{"kind":"request"}', { cap: 12_000n })).toEqual([10_000n, 10_000n])
  })

  it("is due as often as the request said, if that is recorded", () => {
    expect(cost(image, '{"kind":"request","times":{"count":3,"unit":"image"}}')).toEqual([60_000n, 60_000n])
    expect(cost(image, '{"kind":"request","times":{"count":3,"unit":"page"}}')).toBeUndefined()
    expect(cost(image, '{"kind":"request"}')).toBeUndefined()
    expect(
      cost({ contract: "per_request", amount: usd("1") }, '{"kind":"request","times":{"count":3,"unit":"image"}}')
    ).toEqual([1_000_000n, 1_000_000n])
  })

  it("of a canceled task is what its upstream reported; other tasks cost the amount, whichever contract sets it", () => {
    const canceled = '{"kind":"task","status":"CANCELED","reported":"25000000"}'
    for (const price of [perTask, bySize]) expect(cost(price, canceled)).toEqual([25_000n, 25_000n])
    const succeeded = '{"kind":"task","status":"SUCCEEDED"}'
    expect(cost(perTask, succeeded)).toEqual([50_000n, 50_000n])
    expect(cost({ contract: "per_request", amount: usd("0.05") }, succeeded)).toEqual([50_000n, 50_000n])
    expect(cost({ contract: "free" }, succeeded)).toEqual([0n, 0n])
    expect(cost(bySize, succeeded)).toBeUndefined()
  })

  it("of a call that failed is nothing, at any price", () => {
    const failed = '{"kind":"failed"}'
    for (const price of [image, bySize, { contract: "per_request", amount: usd("1") } as const]) {
      expect(cost(price, failed)).toEqual([0n, 0n])
    }
  })

  it("of a call that got a kept answer is its share of the first call's price, rounded once", () => {
    const kept = (of: string, share: string) => `{"kind":"kept","call":"req_1","share":"${share}","age":3,"of":${of}}`
    const price: Price = { contract: "per_request", amount: usd("0.000025") }
    const of = '{"kind":"request"}'
    expect(cost(price, kept(of, "100000"))).toEqual([3n, 3n])
    expect(cost(price, kept(of, "100000"), { multiplier: 1_300_000n })).toEqual([3n, 3n])
    expect(cost(price, kept(of, "100000"), { multiplier: 1_400_000n })).toEqual([3n, 4n])
    expect(cost(price, kept(of, "0"))).toEqual([0n, 0n])
    expect(cost(image, kept('{"kind":"request","times":{"count":3,"unit":"image"}}', "500000"))).toEqual([
      30_000n,
      30_000n
    ])
  })

  it("has the price of every model that took part, at the time of the call", () => {
    const models = Schema.decodeUnknownSync(Models)({
      main: { input: "1", output: "10", periods: [{ from: "2026-12-01", rates: "2" }] },
      adviser: { input: "5", output: "5", tools: { web_search: "0.01" }, periods: [{ from: "2026-12-01", rates: "3" }] }
    })
    const find = (_: string, model: string | undefined): Price => ({
      contract: "model_tokens",
      models: model !== undefined && Object.hasOwn(models, model) ? { [model]: models[model]! } : {},
      outputLimit: [],
      defaultOutputLimit: 1,
      choices: []
    })
    const usage = { input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0 }
    const at = (time: string, ...parts: ReadonlyArray<object>) => {
      const evidence = JSON.stringify({ kind: "model", model: "main", usage, parts })
      const call = {
        ...readEvidence(evidence),
        operation: "any",
        at: Date.parse(time),
        cap: undefined,
        multiplier: one
      }
      return recompute(call, find)?.value
    }
    const dated = { model: "adviser-20260901", usage, uses: { web_search: 2 } }
    expect(at("2026-11-30T23:59:59Z")).toBe(2_000n)
    expect(at("2026-11-30T23:59:59Z", dated)).toBe(2_000n + 5_500n + 20_000n)
    expect(at("2026-12-01T00:00:00Z", dated)).toBe(4_000n + 16_500n + 20_000n)
    expect(at("2026-12-01T00:00:00Z", { model: "main", usage })).toBe(8_000n)
    // A model that these prices do not have costs what the call's own does.
    expect(at("2026-11-30T00:00:00Z", { model: "other", usage })).toBe(4_000n)
  })

  it("is not known without evidence of the right kind, or while the price is pending", () => {
    const tokens: Price = { contract: "per_token", perMillion: usd("1"), texts: [] }
    expect(cost(tokens, '{"kind":"request"}')).toBeUndefined()
    expect(cost({ contract: "per_request", amount: "pending" }, '{"kind":"request"}')).toBeUndefined()
    expect(readEvidence(null).evidence).toBeUndefined()
  })
})
