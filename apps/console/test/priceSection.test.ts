import { describe, expect, it } from "vitest"
import { amountsIn, mapAmounts } from "../src/pages/operator/prices/section.ts"

const price = {
  input: "1",
  output: "10",
  audioInput: "32",
  longPrompt: { above: 1000, input: "2" },
  tiers: { flex: "0.5", fast: { input: "3" } },
  regions: { us: "1.1" },
  tools: { web_search: "0.01", googleSearch: { perCall: "0.035" } },
  periods: [
    { from: "2026-12-01", rates: "2" },
    { hours: ["01:00-04:00"], rates: { output: "20" } }
  ],
  thinks: true
}

describe("the amounts of a model's price", () => {
  it("are rates and what tools cost, and no factors", () => {
    expect(amountsIn(price)).toEqual([
      ["input", "1"],
      ["output", "10"],
      ["audioInput", "32"],
      ["longPrompt.input", "2"],
      ["tiers.fast.input", "3"],
      ["tools.web_search", "0.01"],
      ["tools.googleSearch.perCall", "0.035"],
      ["periods.1.rates.output", "20"]
    ])
  })

  it("are replaced where they are", () => {
    expect(mapAmounts(price, (amount) => `${amount}0`)).toEqual({
      ...price,
      input: "10",
      output: "100",
      audioInput: "320",
      longPrompt: { above: 1000, input: "20" },
      tiers: { flex: "0.5", fast: { input: "30" } },
      tools: { web_search: "0.010", googleSearch: { perCall: "0.0350" } },
      periods: [price.periods[0], { hours: ["01:00-04:00"], rates: { output: "200" } }]
    })
  })
})
