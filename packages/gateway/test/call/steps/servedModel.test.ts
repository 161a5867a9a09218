import { chatCompletions } from "@tollgate/contract/operations/chatCompletions"
import { usd } from "@tollgate/contract/Money"
import { findModel } from "@tollgate/contract/price/modelFamily"
import { isByModel, type ModelPrice } from "@tollgate/contract/price/Price"
import * as Utf8 from "@tollgate/contract/Utf8"
import { describe, expect, it } from "vitest"
import { meter } from "../../../src/call/steps/13-meter.ts"
import type { PriceBook } from "../../../src/exchange/Prices.ts"
import { openai } from "../../../src/upstream/protocols/openai.ts"
import { exchangeOf } from "../../upstream/protocols/exchange.ts"

const at = (rate: string): ModelPrice => ({
  input: usd(rate),
  output: usd(rate),
  cacheRead: usd(rate),
  cacheWrite: usd(rate)
})

const listed: Readonly<Record<string, ModelPrice>> = {
  "gpt-6-sol": at("2"),
  "gpt-6-sol-2026-08-01": at("3"),
  "gpt-6-luna": at("5"),
  "other-2": at("7"),
  "gpt-*": at("100")
}

/** As a configuration file has it. */
const prices: PriceBook = {
  lists: (_, model) => Object.hasOwn(listed, model),
  of: (operation, model) => {
    if (!isByModel(operation.price)) return operation.price
    const found = model === undefined ? undefined : findModel(listed, model)
    return { ...operation.price, models: model === undefined || found === undefined ? {} : { [model]: found } }
  }
}

const charged = (asked: string, served: string) => {
  const exchange = exchangeOf(chatCompletions, "/v1/chat/completions", JSON.stringify({ model: asked }))
  const usage = { prompt_tokens: 1_000, completion_tokens: 0 }
  const bytes = Utf8.encode(JSON.stringify({ model: served, choices: [{ message: { content: "" } }], usage }))
  const answer = { status: 200, contentType: "application/json", headers: {}, bytes }
  const settled = meter(
    prices,
    { ...exchange, model: asked, price: prices.of(exchange.operation, asked) },
    { kind: "whole", answer, protocol: openai, provider: "test" }
  )
  return [Number(settled?.settlement.charged), settled?.gaps]
}

describe("the price of the model that answered", () => {
  it.each([
    ["gpt-6-sol", "gpt-6-sol", 2_000, undefined],
    ["gpt-6-sol", "gpt-6-sol-2026-09-09", 2_000, undefined],
    // A name with a date may have an entry of its own.
    ["gpt-6-sol", "gpt-6-sol-2026-08-01", 3_000, undefined],
    ["gpt-6-sol-2026-08-01", "gpt-6-sol", 2_000, undefined],
    // A name that is asked for is found like one that answered.
    ["gpt-6-luna-latest", "gpt-6-luna-2026-08-01", 5_000, undefined],
    ["gpt-6-luna-20260801", "gpt-6-luna-20260801", 5_000, undefined],
    ["gpt-6-sol-latest", "gpt-6-sol-2026-08-01", 3_000, undefined],
    // An entry without the date goes before a pattern.
    ["gpt-6-sol", "gpt-6-luna-2026-08-01", 5_000, undefined],
    ["gpt-6-sol", "maker/gpt-6-luna", 5_000, undefined],
    // Only then the pattern.
    ["gpt-6-sol", "gpt-7", 100_000, undefined],
    ["gpt-6-sol", "unheard-of", 2_000, ["models.unheard-of"]],
    ["other-2", "other-2-2026-01-01", 7_000, undefined]
  ])("asked for %s, answered by %s", (asked, served, charge, gaps) => {
    expect(charged(asked, served)).toEqual([charge, gaps])
  })
})
