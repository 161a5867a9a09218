import { micro, usd } from "@tollgate/contract/Money"
import type { ModelPrice } from "@tollgate/contract/price/Price"
import type { CallsWithGaps } from "@tollgate/ledger/usage/recordedGaps"
import { describe, expect, it } from "vitest"
import { openGaps } from "../../../src/endpoints/admin/prices/gaps.ts"
import type { FindPrice } from "../../../src/endpoints/admin/prices/recorded.ts"

const usage = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0 }
const plain: ModelPrice = { input: usd("1"), output: usd("10"), cacheRead: usd("0"), cacheWrite: usd("0") }
const search = { web_search: { amount: usd("0.01") } }

const names = ["audioInput", "models.gpt-7", "models.other", "tiers.turbo", "tools.web_search", "usage.dream_tokens"]

const calls = (more: Partial<CallsWithGaps> = {}): CallsWithGaps => ({
  operation: "chat",
  model: "m",
  names,
  calls: 2,
  firstAt: 10,
  lastAt: 20,
  charged: micro(7n),
  example: "req_1",
  evidence: JSON.stringify({
    kind: "model",
    model: "m",
    usage,
    details: { audioInput: 5 },
    tier: "turbo",
    uses: { web_search: 1 },
    parts: [{ model: "other", usage, uses: { web_search: 2 } }],
    gaps: ["usage.dream_tokens", "models.gpt-7"]
  }),
  ...more
})

const priced =
  (models: Readonly<Record<string, ModelPrice>>): FindPrice =>
  (id, model = "") => {
    const entry = models[model]
    return id === "chat"
      ? {
          contract: "model_tokens",
          models: entry === undefined ? {} : { [model]: entry },
          outputLimit: [],
          defaultOutputLimit: 1,
          choices: []
        }
      : undefined
  }

const open = (find?: FindPrice) => openGaps([calls()], find).map(({ name }) => name)

describe("what is used without a price", () => {
  it("is listed by name until the prices in force cover it", () => {
    expect(open()).toEqual(names)
    expect(open(priced({ m: plain }))).toEqual(names)
    const covered = { ...plain, tiers: { turbo: 2_000_000n }, tools: search, audioInput: usd("3") }
    expect(open(priced({ m: covered }))).toEqual(["models.gpt-7", "models.other", "usage.dream_tokens"])
    const all = { m: covered, "gpt-7": plain, other: { ...plain, tools: search } }
    expect(open(priced(all))).toEqual(["usage.dream_tokens"])
  })

  it("is still listed if only another model of the call lacks it", () => {
    const covered = { ...plain, tiers: { turbo: 2_000_000n }, tools: search, audioInput: usd("3") }
    expect(open(priced({ m: covered, "gpt-7": plain, other: plain }))).toEqual([
      "tools.web_search",
      "usage.dream_tokens"
    ])
  })

  it("is listed as recorded if the operation is gone or the evidence is of another kind", () => {
    expect(openGaps([calls({ operation: "gone" })], priced({})).length).toBe(names.length)
    for (const evidence of [null, '{"kind":"request"}']) {
      expect(openGaps([calls({ evidence })], priced({ m: plain })).length).toBe(names.length)
    }
  })

  it("is added up over calls with different gaps", () => {
    const one = calls({ names: ["tiers.turbo"], calls: 3, firstAt: 5, lastAt: 15, charged: micro(1n) })
    expect(openGaps([calls(), one]).find(({ name }) => name === "tiers.turbo")).toMatchObject({
      calls: 5,
      firstAt: 5,
      lastAt: 20,
      charged: 8n
    })
  })
})
