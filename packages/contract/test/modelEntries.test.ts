import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { usd } from "../src/Money.ts"
import { chatCompletions } from "../src/operations/chatCompletions.ts"
import { messages } from "../src/operations/messages.ts"
import { contractOf, estimate, settle } from "../src/price/contracts.ts"
import { priceAt } from "../src/price/contracts/modelRates.ts"
import { Models } from "../src/price/contracts/modelSection.ts"
import type { Evidence } from "../src/price/evidence.ts"
import { type ModelPrice, type Price } from "../src/price/Price.ts"

const decode = Schema.decodeUnknownOption(Models)

const base = { input: "1", output: "10" }

const entry = (more: object): ModelPrice => {
  const { m } = Option.getOrThrow(decode({ m: { ...base, ...more } }))
  assert.isDefined(m)
  return m
}

const priced = (model: ModelPrice, price: Price = chatCompletions.price): Price =>
  price.contract === "model_tokens" ? { ...price, models: { m: model } } : price

describe("an entry of a model", () => {
  it.each([
    ["a default tier without a price", { defaultTier: "fast" }],
    ["a default tier that another has a price of", { tiers: { flex: "0.5" }, defaultTier: "fast" }],
    ["an empty tier", { tiers: { fast: {} } }],
    ["empty rates of a period", { periods: [{ from: "2026-12-01", rates: {} }] }],
    ["an empty span", { periods: [{ hours: ["00:00-00:00"], rates: "2" }] }],
    ["a day that February does not have", { periods: [{ from: "2026-02-31", rates: "2" }] }],
    ["the 29th of February of another year", { periods: [{ until: "2026-02-29", rates: "2" }] }],
    ["an end before the beginning", { periods: [{ from: "2026-12-02", until: "2026-12-01", rates: "2" }] }],
    ["an end at the beginning", { periods: [{ from: "2026-12-01", until: "2026-12-01", rates: "2" }] }]
  ])("is refused with %s", (_, more) => {
    assert.isTrue(Option.isNone(decode({ m: { ...base, ...more } })))
  })

  it.each([
    { tiers: { fast: "2" }, defaultTier: "fast" },
    { tiers: { fast: "2" }, defaultTier: "priority" },
    { tiers: { Fast: "2" }, defaultTier: "FAST" },
    { defaultTier: "default" },
    { tiers: { fast: { input: "2" } } },
    { periods: [{ from: "2028-02-29", until: "2028-03-01", hours: ["23:59-00:00"], rates: "2" }] }
  ])("may have %j", (more) => {
    assert.isTrue(Option.isSome(decode({ m: { ...base, ...more } })))
  })

  it("has names of tiers, speeds and regions in any case", () => {
    const { defaultTier, regions, speeds, tiers } = entry({
      tiers: { Fast: "2" },
      defaultTier: "FAST",
      speeds: { Quick: "3" },
      regions: { US: "1.1" }
    })
    assert.deepStrictEqual([tiers, defaultTier], [{ fast: 2_000_000n }, "fast"])
    assert.deepStrictEqual([speeds, regions], [{ quick: 3_000_000n }, { us: 1_100_000n }])
  })

  it.each([
    [{ tiers: { flex: "0" } }, true],
    [{ speeds: { slow: "0" } }, true],
    [{ tiers: { flex: { input: "0", output: "0" } } }, true],
    [{ periods: [{ days: ["sun"], rates: "0" }] }, true],
    [{ tiers: { flex: { input: "0" } } }, false],
    [{ tiers: { flex: "0.5" } }, false],
    [{}, false]
  ])("%j can be free: %s", (more, free) => {
    const price = priced(entry(more))
    assert.strictEqual(contractOf(price).canBeFree(price), free)
  })
})

describe("a span over midnight on some days", () => {
  const model = entry({ periods: [{ days: ["fri"], hours: ["22:00-02:00"], rates: "2" }] })
  it.each([
    // 2026-11-20 is a Friday.
    ["2026-11-20T01:00:00Z", "1"],
    ["2026-11-20T21:59:00Z", "1"],
    ["2026-11-20T22:00:00Z", "2"],
    ["2026-11-21T01:59:00Z", "2"],
    ["2026-11-21T02:00:00Z", "1"],
    ["2026-11-21T22:00:00Z", "1"],
    ["2026-11-22T01:00:00Z", "1"]
  ])("is of the day on which it begins: %s", (time, input) => {
    assert.strictEqual(priceAt(model, Date.parse(time)).input, usd(input))
  })
})

describe("prices of a tier for long prompts", () => {
  const long = { longPrompt: { above: 1_000, input: "2", output: "15" }, cacheRead: "0.1" }
  const charged = (model: ModelPrice, input: number, tier?: string) => {
    const usage = { input, output: 100, cacheRead: 0, cacheWrite: 0 }
    const proof: Evidence = { kind: "model", model: "m", usage, ...(tier === undefined ? {} : { tier }) }
    return Number(Option.getOrThrow(settle(priced(model), proof)).charged)
  }

  it("change like the usual ones, whether they are a factor or amounts", () => {
    for (const fast of ["2.5", { input: "2.5", output: "25" }]) {
      const model = entry({ ...long, tiers: { fast } })
      assert.strictEqual(charged(model, 1_000), 1_000 + 1_000)
      assert.strictEqual(charged(model, 1_000, "fast"), 2_500 + 2_500)
      assert.strictEqual(charged(model, 2_000), 4_000 + 1_500)
      assert.strictEqual(charged(model, 2_000, "fast"), 10_000 + 3_750)
    }
  })

  it("so do those of a period", () => {
    const model = entry({ ...long, periods: [{ from: "2026-12-01", rates: { input: "2", output: "20" } }] })
    const later = priceAt(model, Date.parse("2026-12-02T00:00:00Z"))
    assert.strictEqual(charged(later, 1_000), 2_000 + 2_000)
    assert.strictEqual(charged(later, 2_000), 8_000 + 3_000)
  })

  it("are as they are named if the usual price is nothing", () => {
    const model = entry({ input: "0", longPrompt: { above: 1_000, input: "2" }, tiers: { fast: { input: "3" } } })
    assert.strictEqual(charged(model, 2_000, "fast"), 6_000 + 1_000)
  })
})

describe("a request that only fills a cache", () => {
  const most = (price: Price, max_tokens: unknown) =>
    Option.getOrThrow(estimate(priced(entry({ maxOutput: 500 }), price), { max_tokens }, undefined, "m")).most

  it("has no output to pay for, at Anthropic", () => {
    const fields = contractOf(priced(entry({}), messages.price)).decidingFields?.(messages.price)
    const [, check] = fields?.find(([path]) => path.join(".") === "max_tokens") ?? []
    assert.strictEqual(check?.(0), undefined)
    assert.isDefined(check?.(-1))
    assert.isBelow(Number(most(messages.price, 0)), Number(usd("0.0001")))
    assert.isAbove(Number(most(messages.price, 500)), Number(usd("0.005")) - 1)
  })
})
