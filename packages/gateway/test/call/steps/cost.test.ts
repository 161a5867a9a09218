import { usd } from "@tollgate/contract/Money"
import type { Operation } from "@tollgate/contract/Operation"
import { chatCompletions } from "@tollgate/contract/operations/chatCompletions"
import { messages } from "@tollgate/contract/operations/messages"
import { rerank } from "@tollgate/contract/operations/rerank"
import { Models } from "@tollgate/contract/price/contracts/modelSection"
import { perRequestOf } from "@tollgate/contract/price/contracts/perRequest"
import { isByModel, type Price, parseMultiplier } from "@tollgate/contract/price/Price"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { meter, meterStream } from "../../../src/call/steps/13-meter.ts"
import type { Priced } from "../../../src/exchange/Exchange.ts"
import type { CostBook } from "../../../src/exchange/Prices.ts"
import type { Protocol } from "../../../src/upstream/Protocol.ts"
import { anthropic } from "../../../src/upstream/protocols/anthropic.ts"
import { json } from "../../../src/upstream/protocols/json.ts"
import { openai } from "../../../src/upstream/protocols/openai.ts"
import { answerOf, exchangeOf } from "../../upstream/protocols/exchange.ts"

const decode = Schema.decodeUnknownSync(Models)

/** Prices by model, as an upstream has them. */
const costs = (models: unknown, terms: Operation = chatCompletions): CostBook => {
  const listed = decode(models)
  const { price } = terms
  return {
    of: (_, model = "") =>
      isByModel(price) && Object.hasOwn(listed, model) ? { ...price, models: { [model]: listed[model]! } } : undefined
  }
}

const ours = decode({ sold: { input: "2", output: "10", tiers: { flex: "0.5" } }, other: { input: "4", output: "4" } })

const priceOf = (model: string, { price }: Operation = chatCompletions): Price =>
  isByModel(price) ? { ...price, models: { [model]: ours[model]! } } : price

const prices = { of: (_: unknown, model = "") => (model in ours ? priceOf(model) : { ...chatCompletions.price }) }

const paths = { [chatCompletions.id]: "/v1/chat/completions", [messages.id]: "/v1/messages", [rerank.id]: "/v1/rerank" }

const asked = (operation: Operation, body: object, price: Price): Priced => ({
  ...exchangeOf(operation, paths[operation.id]!, JSON.stringify({ model: "sold", ...body })),
  price
})

const usage = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 }

const completion = (fields: object = {}) => ({
  id: "c",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "word" }, finish_reason: "stop" }],
  usage,
  ...fields
})

const allowance = { rpm: 1, tpm: 1, concurrency: 1 }

interface Case {
  readonly book: CostBook | undefined
  readonly sentModel?: string
  readonly answer?: object
  readonly change?: Partial<Priced>
  readonly operation?: Operation
  readonly protocol?: Protocol
  readonly price?: Price
}

const settled = ({ answer = completion(), book, change, operation = chatCompletions, price, ...rest }: Case) =>
  meter(
    prices,
    { ...asked(operation, {}, price ?? priceOf("sold", operation)), ...change },
    {
      kind: "whole",
      answer: answerOf(JSON.stringify(answer)),
      protocol: rest.protocol ?? openai,
      provider: "up",
      costs: book,
      ...(rest.sentModel === undefined ? {} : { sentModel: rest.sentModel })
    }
  )

/** In micro-USD. `undefined`: unknown. */
const costOf = (given: Case) => {
  const cost = settled(given)?.cost
  return cost === undefined ? undefined : Number(cost) / 1000
}

describe("what an upstream charges", () => {
  it("is found by its own prices, lower or higher than ours, and unknown without any", () => {
    expect(costOf({ book: costs({ sold: { input: "1", output: "5" } }) })).toBe(1_500)
    expect(costOf({ book: costs({ sold: { input: "3", output: "50" } }) })).toBe(8_000)
    expect(costOf({ book: costs({ sold: { input: "0", output: "0" } }) })).toBe(0)
    expect(costOf({ book: undefined })).toBeUndefined()
    expect(settled({ book: undefined })).not.toHaveProperty("cost")
  })

  it("does not depend on the account's multiplier, and has no more than nano-USD", () => {
    const multiplier = Option.getOrThrow(parseMultiplier("1.45"))
    const principal = { account: "acct_1", key: "key_1", allowance, multiplier }
    const book = costs({ sold: { input: "0.000333333", output: "0" } })
    const call = settled({ book, change: { principal } })
    expect(call?.cost).toBe(333n)
    expect(call?.settlement.chargedNano).toBe(4_350_000n)
  })

  it("is that of the model that was sent, also by its name without a date, and unknown for a model without a price", () => {
    const book = costs({ theirs: { input: "1", output: "1" }, sold: { input: "9", output: "9" } })
    expect(costOf({ book, sentModel: "theirs" })).toBe(1_100)
    expect(costOf({ book, sentModel: "theirs-2026-08-01" })).toBe(1_100)
    expect(costOf({ book, sentModel: "unlisted" })).toBeUndefined()
  })

  it("is that of the model that answered, and unknown if that one has no price", () => {
    const book = costs({ theirs: { input: "1", output: "1" }, better: { input: "5", output: "5" } })
    const by = (model: string) => costOf({ book, sentModel: "theirs", answer: completion({ model }) })
    expect([by("theirs"), by("better"), by("better-2026-08-01"), by("unlisted")]).toEqual([
      1_100,
      5_500,
      5_500,
      undefined
    ])
  })

  it("follows the tier as served, and is unknown where the upstream's prices leave it out", () => {
    const answer = completion({ service_tier: "flex" })
    expect(costOf({ book: costs({ sold: { input: "1", output: "5", tiers: { flex: "0.5" } } }), answer })).toBe(750)
    expect(costOf({ book: costs({ sold: { input: "1", output: "5" } }), answer })).toBeUndefined()
  })

  it("is known in spite of a field that nobody knows", () => {
    const answer = completion({ usage: { ...usage, dream_tokens: 7 } })
    const call = settled({ book: costs({ sold: { input: "1", output: "5" } }), answer })
    expect([call?.gaps, call?.cost]).toEqual([["usage.dream_tokens"], 1_500_000n])
  })

  it("includes other runs of the call, each at its own model's price", () => {
    const answer = {
      type: "message",
      role: "assistant",
      model: "theirs",
      content: [{ type: "text", text: "word" }],
      stop_reason: "end_turn",
      usage: {
        input_tokens: 100,
        output_tokens: 10,
        iterations: [
          { type: "compaction", input_tokens: 1_000, output_tokens: 100 },
          { type: "advisor_message", model: "wise", input_tokens: 10, output_tokens: 1 },
          { type: "message", input_tokens: 100, output_tokens: 10 }
        ]
      }
    }
    const given = { operation: messages, protocol: anthropic, sentModel: "theirs", answer }
    const theirs = { input: "1", output: "1" }
    expect(costOf({ ...given, book: costs({ theirs, wise: { input: "100", output: "100" } }, messages) })).toBe(2_310)
    expect(costOf({ ...given, book: costs({ theirs }, messages) })).toBeUndefined()
  })

  it("can be billed otherwise than the call is sold", () => {
    const sold = perRequestOf(usd("0.01"))
    expect(costOf({ book: costs({ sold: { input: "1", output: "5" } }), price: sold })).toBe(1_500)
    expect(costOf({ book: { of: () => perRequestOf(usd("0.002")) } })).toBe(2_000)
    expect(costOf({ book: { of: () => ({ contract: "free" }) } })).toBe(0)
    expect(costOf({ book: { of: () => perRequestOf("pending") } })).toBeUndefined()
  })

  it("is what the upstream says that the call cost, without the factor of the price", () => {
    const price: Price = {
      contract: "reported_cost",
      cost: { field: ["usage", "cost"] },
      factor: 1_450_000n,
      most: usd("1")
    }
    const answer = completion({ usage: { ...usage, cost: 0.0000123 } })
    expect(settled({ book: undefined, price, answer })).toMatchObject({
      cost: 12_300n,
      settlement: { chargedNano: 17_835n }
    })
    // Its word counts for more than a list of its prices.
    expect(costOf({ book: costs({ sold: { input: "1", output: "5" } }), price, answer })).toBe(12.3)
    // It may also say it of a call that is sold by tokens.
    expect(costOf({ book: { of: () => price }, answer })).toBe(12.3)
  })

  it("is unknown if it is impossible, and if the call proves nothing", () => {
    expect(costOf({ book: costs({ sold: { input: "1000000", output: "1000000" } }) })).toBe(1_100_000_000)
    const huge = completion({ usage: { prompt_tokens: 1_000_000_000, completion_tokens: 0 } })
    expect(costOf({ book: costs({ sold: { input: "1000000", output: "1" } }), answer: huge })).toBeUndefined()
    expect(settled({ book: costs({ sold: { input: "1", output: "5" } }), answer: { error: "no" } })).toBeUndefined()
  })

  it("of other operations is by the same evidence", () => {
    const answer = { results: [], usage: { total_tokens: 1_000_000 } }
    const given = { operation: rerank, protocol: json, price: rerank.price, answer }
    const sold = settled({ ...given, book: undefined })?.settlement.chargedNano
    expect(sold).toBeGreaterThan(0n)
    expect(settled({ ...given, book: { of: () => rerank.price } })?.cost).toBe(sold)
  })

  const left = (book: CostBook, text: string, final?: object) => {
    const exchange = asked(chatCompletions, { stream: true, max_tokens: 20 }, priceOf("sold"))
    const streamMeter = openai.streamMeter(exchange)
    const push = (event: object) => streamMeter.push(Utf8.encode(`data: ${JSON.stringify(event)}\n\n`))
    push({ choices: [{ index: 0, delta: { content: text } }] })
    if (final !== undefined) {
      push({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })
      push({ choices: [], usage: final })
    }
    const head = { status: 200, contentType: "text/event-stream" }
    return meterStream(prices, exchange, { costs: book, sentModel: "theirs" }, head, streamMeter.report(), "left")
  }

  it("of a stream that is left is by its report, or by the same estimate as the charge", () => {
    const book = costs({ theirs: { input: "1", output: "5" } })
    expect(left(book, "word", usage)).toMatchObject({ costState: "settled", cost: 1_500_000n })
    const estimated = left(book, "word ".repeat(4_000))
    if (estimated === undefined || estimated === "unknown") throw new Error("not settled")
    const { cost, costState, settlement, usage: used } = estimated
    expect([costState, used.output]).toEqual(["estimated", 20])
    expect(cost).toBe(settlement.chargedNano / 2n)
  })
})
