import { describe, expect, it } from "vitest"
import { amountsIn, changedSection, mapAmounts } from "../src/pages/operator/prices/section.ts"

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

describe("the section with changed prices", () => {
  const line = (operation: string, model: string | null, config: unknown) => ({
    operation,
    category: "",
    model,
    config,
    contract: "",
    words: "",
    upstreams: null
  })
  const written = {
    unpriced: "refuse",
    models: { large: { input: "1" }, "gpt-*": { input: "2" }, "gpt-6": { input: "3" } },
    operations: { rerank: { perMillion: "1" }, chat: { models: { own: { input: "4" } } } }
  }
  const inForce = [
    line("rerank", null, { perMillion: "1" }),
    line("search", null, { amount: "5" }),
    line("chat", "own", { input: "4" }),
    ...["chat", "messages"].flatMap((operation) =>
      Object.entries(written.models).map(([model, config]) => line(operation, model, config))
    )
  ]
  const changed = (change: (line: (typeof inForce)[number]) => unknown) =>
    changedSection(
      written,
      inForce,
      inForce.map((line) => ({ ...line, config: change(line) ?? line.config }))
    )

  it("without a change is that of the file", () => {
    expect(changed(() => undefined)).toEqual(written)
    expect(changedSection(undefined, inForce, inForce)).toEqual({})
  })

  it("has a price that is the same for all operations where it was", () => {
    expect(changed(({ model }) => (model === "large" ? { input: "9" } : undefined))).toEqual({
      ...written,
      models: { ...written.models, large: { input: "9" } }
    })
  })

  it("has the price of one operation in its own entry, and leaves the others alone", () => {
    expect(
      changed(({ model, operation }) => (operation === "chat" && model === "large" ? { input: "9" } : undefined))
    ).toEqual({
      ...written,
      operations: { ...written.operations, chat: { models: { own: { input: "4" }, large: { input: "9" } } } }
    })
    expect(changed(({ operation }) => (operation === "search" ? { amount: "6" } : undefined))).toEqual({
      ...written,
      operations: { ...written.operations, search: { amount: "6" } }
    })
  })

  it("a pattern of one operation does not change the names that it matches", () => {
    expect(
      changed(({ model, operation }) => (operation === "messages" && model === "gpt-*" ? { input: "9" } : undefined))
    ).toEqual({
      ...written,
      operations: { ...written.operations, messages: { models: { "gpt-*": { input: "9" }, "gpt-6": { input: "3" } } } }
    })
  })
})
