import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { type NanoUsd, nano, usd } from "../src/Money.ts"
import { chatCompletions } from "../src/operations/chatCompletions.ts"
import { embeddings } from "../src/operations/embeddings.ts"
import { basis, contractOf, estimate, settle } from "../src/price/contracts.ts"
import { applyCap } from "../src/price/cap.ts"
import type { TokenUsage } from "../src/price/evidence.ts"
import { inputOf } from "../src/price/contracts/modelRequest.ts"
import { type ModelPrice, type Multiplier, one, type Price } from "../src/price/Price.ts"

const withModel = (price: Price, model: ModelPrice): Price =>
  price.contract === "model_tokens" ? { ...price, models: { m: model } } : price

const chat = (model: ModelPrice) => withModel(chatCompletions.price, model)

const canBeFree = (price: Price) => contractOf(price).canBeFree(price)

const outputBound = (price: Price, request: unknown, cap: NanoUsd, multiplier: Multiplier, model: string) =>
  contractOf(price).outputBound?.(price, request, cap, multiplier, model)

const rates = (input: string, output: string, cacheRead = input, cacheWrite = input) => ({
  input: usd(input),
  output: usd(output),
  cacheRead: usd(cacheRead),
  cacheWrite: usd(cacheWrite)
})

const model: ModelPrice = {
  ...rates("2", "12", "0.2", "2.5"),
  longPrompt: { above: 1_000, ...rates("4", "18", "0.4", "5") }
}

const none: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
const settled = (price: Price, usage: Partial<TokenUsage>, multiplier: Multiplier = one) =>
  Option.getOrThrow(settle(price, { kind: "model", model: "m", usage: { ...none, ...usage } }, multiplier))

const estimated = (price: Price, request: unknown, multiplier: Multiplier = one, limit?: number) =>
  Option.getOrThrow(estimate(price, request, multiplier, "m", limit))

const says = (bytes: number) => ({ messages: [{ content: "x".repeat(bytes) }] })
/** The bytes of a request without its text. */
const rest = inputOf(says(0)).most

describe("the price of a long prompt", () => {
  it("begins one token above the threshold, and is that of all tokens of the call", () => {
    assert.strictEqual(settled(chat(model), { input: 1_000, output: 100 }).charged, 3_200n)
    assert.strictEqual(settled(chat(model), { input: 1_001, output: 100 }).charged, 5_804n)
    assert.strictEqual(settled(chat(model), { input: 1_001, output: 100 }, 1_500_000n).charged, 8_706n)
  })

  it("counts tokens that were read from a cache and written to it, and not those of the answer", () => {
    const short = { input: 600, cacheRead: 300, cacheWrite: 100, output: 50_000 }
    assert.strictEqual(settled(chat(model), short).charged, 1_200n + 60n + 250n + 600_000n)
    const kinds = ["input", "cacheRead", "cacheWrite"] as const
    for (const kind of kinds) {
      const long = { ...short, [kind]: short[kind] + 1 }
      const expected = 4 * long.input + 0.4 * long.cacheRead + 5 * long.cacheWrite + 18 * long.output
      assert.strictEqual(settled(chat(model), long).charged, BigInt(Math.round(expected)), kind)
    }
  })

  it("is expected if the expected prompt is long, and reserved if the longest is", () => {
    const at = (bytes: number) => {
      const { likely, most } = estimated(chat(model), says(bytes - rest), one, 10)
      return [likely, most].map((amount) => Number(amount / 1_000n))
    }
    assert.deepStrictEqual(at(1_000), [250 * 2 + 120, 1_000 * 2.5 + 120])
    assert.deepStrictEqual(at(1_001), [251 * 2 + 120, 1_001 * 5 + 180])
    assert.deepStrictEqual(at(4_000), [1_000 * 2 + 120, 4_000 * 5 + 180])
    assert.deepStrictEqual(at(4_001), [1_001 * 4 + 180, 4_001 * 5 + 180])
  })

  it("is not reserved if the context window keeps the prompt short", () => {
    const narrow = { ...model, contextWindow: 1_000 }
    assert.strictEqual(estimated(chat(narrow), { ...says(50_000), max_tokens: 10 }).most, nano(2_620_000n))
  })

  it("of embeddings counts all inputs together", () => {
    const price = withModel(embeddings.price, { ...model, contextWindow: 600 })
    const text = "x".repeat(600)
    const [short, long] = [[text], [text, text]].map((input) => estimated(price, { model: "m", input }).most)
    assert.strictEqual(short, nano(1_500_000n))
    assert.strictEqual(long, nano(6_000_000n))
  })

  it("is described in words", () => {
    assert.include(
      basis(chat(model), { model: "m" }),
      "$0.20 / 1M tokens read from a cache and $2.50 / 1M tokens written to a cache; if the prompt has " +
        "more than 1000 tokens, $4 in, $18 out / 1M tokens, with"
    )
    assert.include(basis(chat(model), { model: "m" }), "$5 / 1M tokens written to a cache for the whole call; ")
    assert.notInclude(basis(withModel(embeddings.price, model), { model: "m" }), "output")
  })

  it("may be nothing", () => {
    assert.isFalse(canBeFree(chat(model)))
    assert.isTrue(canBeFree(chat({ ...model, longPrompt: { above: 5, ...rates("0", "0") } })))
  })
})

describe("for any prices, also lower ones of long prompts,", () => {
  const amounts = fc.bigInt({ min: 0n, max: 10n ** 12n }).map(nano)
  const anyRates = fc.record({ input: amounts, output: amounts, cacheRead: amounts, cacheWrite: amounts })
  const models: fc.Arbitrary<ModelPrice> = fc
    .record({
      short: anyRates,
      long: anyRates,
      above: fc.integer({ min: 1, max: 1_500 }),
      figures: fc.record(
        { maxOutput: fc.integer({ min: 1, max: 10_000 }), contextWindow: fc.integer({ min: 1, max: 5_000 }) },
        { requiredKeys: [] }
      )
    })
    .map(({ above, figures, long, short }) => ({ ...short, ...figures, longPrompt: { above, ...long } }))
  const multipliers = fc.oneof(fc.constant(one), fc.bigInt({ min: 0n, max: 5_000_000n }))
  const requests = fc.record(
    {
      messages: fc.nat(3_000).map((bytes) => says(bytes).messages),
      max_tokens: fc.integer({ min: 1, max: 10_000 }),
      n: fc.integer({ min: 1, max: 4 })
    },
    { requiredKeys: ["messages"] }
  )
  const parts = fc.tuple(...Array.from({ length: 4 }, () => fc.nat(1_000)))

  /** Some usage within what an honest upstream can use: `parts` are thousandths. */
  const usageOf = (
    price: ModelPrice,
    request: { readonly n?: number },
    longest: number,
    [all = 0, read = 0, written = 0, out = 0]: ReadonlyArray<number>
  ): TokenUsage => {
    const prompt = Math.floor((inputOf(request, price).most * all) / 1_000)
    const cacheRead = Math.floor((prompt * read) / 1_000)
    const cacheWrite = Math.floor(((prompt - cacheRead) * written) / 1_000)
    const output = Math.floor((longest * (request.n ?? 1) * out) / 1_000)
    return { input: prompt - cacheRead - cacheWrite, cacheRead, cacheWrite, output }
  }

  const longestOf = ({ contextWindow = Infinity, maxOutput }: ModelPrice, limit?: number): number =>
    Math.min(limit ?? Infinity, maxOutput ?? limit ?? 4_096, contextWindow)

  it("a charge is never more than the estimate's maximum, and the estimate is whole and not above it", () => {
    fc.assert(
      fc.property(models, requests, multipliers, parts, (price, request, multiplier, shares) => {
        const { likely, most } = estimated(chat(price), request, multiplier)
        assert.isTrue(0n <= likely && likely <= most)
        const usage = usageOf(price, request, longestOf(price, request.max_tokens), shares)
        const { charged, chargedNano } = settled(chat(price), usage, multiplier)
        assert.isTrue(chargedNano <= most, `${chargedNano} is more than ${most}`)
        // The charge is rounded to whole micro-USD once.
        assert.isTrue(charged * 1_000n <= chargedNano + 501n && chargedNano <= charged * 1_000n + 500n)
      }),
      { numRuns: 3_000, endOnFailure: true }
    )
  })

  it("the maximum is what some call costs, and does not fall if the prompt grows", () => {
    fc.assert(
      fc.property(models, fc.nat(3_000), fc.nat(100), (price, bytes, more) => {
        const mostOf = (length: number) => estimated(chat(price), says(length), one, 1).most
        assert.isTrue(mostOf(bytes) <= mostOf(bytes + more))
        const longest = inputOf(says(bytes), price).most
        const lengths = [longest, Math.min(longest, price.longPrompt?.above ?? longest)]
        const charges = lengths.flatMap((prompt) =>
          (["input", "cacheRead", "cacheWrite"] as const).map(
            (kind) => settled(chat(price), { [kind]: prompt, output: 1 }).chargedNano
          )
        )
        const highest = charges.reduce((a, b) => (a > b ? a : b))
        assert.isTrue(mostOf(bytes) - highest <= 1n)
      }),
      { numRuns: 1_000, endOnFailure: true }
    )
  })

  it("a cap bounds the output so that the charge stays within it, and no more than that needs", () => {
    const caps = fc.bigInt({ min: 0n, max: 10n ** 11n }).map(nano)
    fc.assert(
      fc.property(
        models,
        requests,
        caps,
        multipliers,
        parts,
        (price, { max_tokens: _, ...request }, cap, multiplier, shares) => {
          const bound = outputBound(chat(price), request, cap, multiplier, "m") ?? 0
          const within = (limit: number) => estimated(chat(price), request, multiplier, limit).most <= cap
          const capped = applyCap(
            cap,
            estimated(chat(price), request, multiplier),
            chat(price),
            request,
            multiplier,
            "m"
          )
          assert.strictEqual(Result.isSuccess(capped), bound > 0)
          if (bound < 1) return assert.isFalse(within(1))
          assert.isTrue(within(bound))
          const charge = settled(chat(price), usageOf(price, request, bound, shares), multiplier)
          assert.isTrue(charge.chargedNano <= cap)
          if (price.contextWindow === undefined && bound < longestOf(price)) assert.isFalse(within(bound + 1))
        }
      ),
      { numRuns: 3_000, endOnFailure: true }
    )
  })
})
