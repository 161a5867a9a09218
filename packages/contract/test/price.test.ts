import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { micro, type NanoUsd, nano, roundToMicros, toMicros, usd } from "../src/Money.ts"
import { chatCompletions } from "../src/operations/chatCompletions.ts"
import { creatorInsights } from "../src/operations/creatorInsights.ts"
import { generateContent } from "../src/operations/generateContent.ts"
import { messages } from "../src/operations/messages.ts"
import { postComments } from "../src/operations/postComments.ts"
import { rerank } from "../src/operations/rerank.ts"
import { tagDetail } from "../src/operations/tagDetail.ts"
import { userStories } from "../src/operations/userStories.ts"
import { wordSuggestions } from "../src/operations/wordSuggestions.ts"
import { utf8Length } from "../src/price/content.ts"
import { contractOf, estimate, settle } from "../src/price/contracts.ts"
import type { Evidence, TokenUsage } from "../src/price/evidence.ts"
import { type ModelPrice, type Multiplier, one, parseMultiplier, type Price, type PriceOf } from "../src/price/Price.ts"
import { estimateTokens } from "../src/price/tokens.ts"
import { TaskStatus } from "../src/Task.ts"
import { character } from "./unicode.ts"

/** An exact amount in nano-USD, calculated independently of the source's scaled integers. */
interface Fraction {
  readonly over: bigint
  readonly under: bigint
}
const fraction = (over: bigint, under = 1n): Fraction => ({ over, under })
const add = (a: Fraction, b: Fraction) => fraction(a.over * b.under + b.over * a.under, a.under * b.under)
const multiply = (a: Fraction, b: Fraction) => fraction(a.over * b.over, a.under * b.under)
const perMillion = (rate: bigint, tokens: number) => fraction(rate * BigInt(tokens), 1_000_000n)
const isNearest = (k: bigint, { over, under }: Fraction) =>
  (2n * k - 1n) * under <= 2n * over && 2n * over < (2n * k + 1n) * under
const isCeiling = (k: bigint, { over, under }: Fraction) => (k - 1n) * under < over && over <= k * under
/** More is no JSON integer. */
const largestMicros = BigInt(Number.MAX_SAFE_INTEGER)
const inMicros = (exact: Fraction) => multiply(exact, fraction(1n, 1_000n))

const listValue = (price: Price, proof: Evidence): Fraction | undefined => {
  const amountOf = (amount: NanoUsd | "pending") => (amount === "pending" ? undefined : fraction(amount))
  if (price.contract === "free" || proof.kind === "failed") return fraction(0n)
  if (price.contract === "per_request") return amountOf(price.amount)
  if (price.contract === "per_token" && proof.kind === "tokens" && price.perMillion !== "pending") {
    return perMillion(price.perMillion, proof.total)
  }
  if (price.contract === "response_count" && proof.kind === "items" && price.perItem !== "pending") {
    return fraction(price.perItem * BigInt(proof.count))
  }
  if (price.contract === "answer_field" && proof.kind === "units" && price.perUnit !== "pending") {
    return fraction(price.perUnit * BigInt(proof.count))
  }
  if (price.contract === "body_code" && proof.kind === "code") {
    return proof.value === price.equals ? amountOf(price.amount) : price.amount === "pending" ? undefined : fraction(0n)
  }
  if (price.contract === "model_tokens" && proof.kind === "model") {
    const model = new Map(Object.entries(price.models)).get(proof.model)
    if (model === undefined) return undefined
    const kinds = ["input", "output", "cacheRead", "cacheWrite"] as const
    const { cacheRead, cacheWrite, input } = proof.usage
    const isLong = model.longPrompt !== undefined && input + cacheRead + cacheWrite > model.longPrompt.above
    const rates = isLong && model.longPrompt !== undefined ? model.longPrompt : model
    return kinds.map((kind) => perMillion(rates[kind], proof.usage[kind])).reduce(add)
  }
  if (price.contract === "reported_cost" && proof.kind === "cost" && price.most !== "pending") {
    if (proof.reported === undefined) return fraction(price.most)
    const [digits = "", exponent = "0"] = proof.reported.split("e-")
    const reported = fraction(BigInt(digits), 10n ** BigInt(exponent))
    return multiply(multiply(reported, fraction(price.perUnit ?? usd("1"))), fraction(price.factor, 1_000_000n))
  }
  if (price.contract === "per_task" && proof.kind === "task" && price.amount !== "pending") {
    if (proof.status === "SUCCEEDED") return fraction(price.amount)
    if (proof.status !== "CANCELED" || proof.reported === undefined) return fraction(0n)
    return fraction(proof.reported)
  }
  return undefined
}

const amounts = fc.bigInt({ min: 0n, max: 10n ** 15n }).map(nano)
const tokens = fc.oneof(fc.nat(5_000), fc.maxSafeNat())
const multipliers = fc.oneof(fc.constant(one), fc.bigInt({ min: 0n, max: 5_000_000n }))
const modelNames = fc.constantFrom("small", "large", "other", "__proto__", "constructor", "toString")

const usages: fc.Arbitrary<TokenUsage> = fc.record({
  input: tokens,
  output: tokens,
  cacheRead: tokens,
  cacheWrite: tokens
})
const rates = { input: amounts, output: amounts, cacheRead: amounts, cacheWrite: amounts }
const modelPrices: fc.Arbitrary<ModelPrice> = fc.record(
  { ...rates, longPrompt: fc.record({ ...rates, above: fc.integer({ min: 1, max: 10_000 }) }) },
  { requiredKeys: ["input", "output", "cacheRead", "cacheWrite"] }
)

const paths = [["max_completion_tokens"], ["generationConfig", "maxOutputTokens"]]

const pricesOf: { readonly [C in Price["contract"]]: fc.Arbitrary<PriceOf<C>> } = {
  free: fc.constant({ contract: "free" }),
  per_request: amounts.map((amount) => ({ contract: "per_request", amount })),
  per_token: amounts.map((perMillion) => ({ contract: "per_token", perMillion, texts: [{ field: "query" }] })),
  response_count: amounts.map((perItem) => ({ contract: "response_count", perItem, items: "comments", most: 50 })),
  answer_field: amounts.map((perUnit) => ({
    contract: "answer_field",
    perUnit,
    field: ["usage", "credits"],
    most: 50
  })),
  body_code: amounts.map((amount) => ({ contract: "body_code", amount, field: "code", equals: 200 })),
  per_task: amounts.map((amount) => ({ contract: "per_task", amount })),
  reported_cost: fc
    .record({
      most: amounts,
      // As many digits as a cost can have without being cut.
      factor: fc.bigInt({ min: 0n, max: 500n }).map((hundredths) => hundredths * 10_000n),
      perUnit: fc.option(amounts, { nil: undefined })
    })
    .map(({ factor, most, perUnit }) => ({
      contract: "reported_cost",
      cost: { field: ["usage", "cost"] },
      factor,
      most,
      ...(perUnit === undefined ? {} : { perUnit })
    })),
  model_tokens: fc.record({ small: modelPrices, large: modelPrices }).map((models) => ({
    contract: "model_tokens",
    models,
    outputLimit: paths,
    defaultOutputLimit: 4_096,
    choices: [["n"]]
  }))
}
const prices: fc.Arbitrary<Price> = fc.oneof(...Object.values(pricesOf))

const proofsOf: { readonly [K in Evidence["kind"]]: fc.Arbitrary<Extract<Evidence, { readonly kind: K }>> } = {
  request: fc.constant({ kind: "request" }),
  tokens: tokens.map((total) => ({ kind: "tokens", total })),
  model: fc.record({ model: modelNames, usage: usages }).map((all) => ({ kind: "model", ...all })),
  items: fc.nat(10_000).map((count) => ({ kind: "items", count })),
  units: fc.nat(10_000).map((count) => ({ kind: "units", count })),
  cost: fc
    .option(fc.tuple(fc.nat(1_000_000_000), fc.integer({ min: 0, max: 4 })), { nil: undefined })
    .map((cost) =>
      cost === undefined ? { kind: "cost", isEstimate: true } : { kind: "cost", reported: `${cost[0]}e-${cost[1]}` }
    ),
  code: fc.oneof(fc.constant(200), fc.integer()).map((value) => ({ kind: "code", value })),
  failed: fc.constant({ kind: "failed" }),
  task: fc
    .record({ status: fc.constantFrom(...TaskStatus.literals), reported: fc.option(amounts, { nil: undefined }) })
    .map(({ reported, status }) => ({ kind: "task", status, ...(reported === undefined ? {} : { reported }) }))
}
const proofs: fc.Arbitrary<Evidence> = fc.oneof(...Object.values(proofsOf))

/** The kind of evidence that a price needs. */
const kindOf: { readonly [C in Price["contract"]]: Evidence["kind"] } = {
  free: "request",
  per_request: "request",
  per_token: "tokens",
  response_count: "items",
  answer_field: "units",
  body_code: "code",
  per_task: "task",
  model_tokens: "model",
  reported_cost: "cost"
}
const fitting = (price: Price): fc.Arbitrary<Evidence> => proofsOf[kindOf[price.contract]]

const priced = prices.chain((price) =>
  fc.record({ price: fc.constant(price), proof: fitting(price), multiplier: multipliers })
)

const evidence = (price: Price, answer: unknown) => Option.fromUndefinedOr(contractOf(price).evidence(price, answer))

const charged = (price: Price, answer: unknown, multiplier?: Multiplier) =>
  evidence(price, answer).pipe(
    Option.flatMap((proof) => settle(price, proof, multiplier)),
    Option.map((settlement) => settlement.charged),
    Option.getOrUndefined
  )

const mostOf = (price: Price, request: unknown, multiplier: Multiplier) =>
  Option.getOrThrow(estimate(price, request, multiplier)).most

describe("settling", () => {
  it("charges list price times evidence times multiplier, rounded once", () => {
    fc.assert(
      fc.property(priced, ({ multiplier, price, proof }) => {
        const list = listValue(price, proof)
        const settlement = Option.getOrUndefined(settle(price, proof, multiplier))
        assert.strictEqual(settlement === undefined, list === undefined, `${price.contract}: settle against listValue`)
        if (settlement === undefined || list === undefined) return
        const exact = multiply(list, fraction(multiplier, 1_000_000n))
        const is = (amount: bigint, largest: bigint, nearest: Fraction) =>
          isNearest(amount, nearest) || (amount === largest && largest * nearest.under < nearest.over)
        assert.isTrue(is(settlement.chargedNano, largestMicros * 1_000n, exact), "nano-USD charged")
        assert.isTrue(is(settlement.charged, largestMicros, inMicros(exact)), "micro-USD charged")
        assert.isTrue(is(settlement.value, largestMicros, inMicros(list)), "list value, before the multiplier")
      }),
      { numRuns: 3_000 }
    )
  })

  it("gives no charge for evidence of another kind than the price needs", () => {
    fc.assert(
      fc.property(prices, proofs, (price, proof) =>
        assert.strictEqual(Option.isNone(settle(price, proof)), listValue(price, proof) === undefined)
      ),
      { numRuns: 2_000 }
    )
  })

  it("does not round to nano-USD on the way to micro-USD", () => {
    // 10 tokens cost 500 nano-USD; times 0.999 that is 499.5, which rounds to 500 nano-USD but to 0 micro-USD.
    const settlement = Option.getOrThrow(settle(rerank.price, { kind: "tokens", total: 10 }, 999_000n))
    assert.deepStrictEqual(settlement, { value: 1n, charged: 0n, chargedNano: 500n } as typeof settlement)
    assert.strictEqual(toMicros(settlement.chargedNano), 1)
  })

  it("charges a task only if it succeeds, or what a canceled one reports", () => {
    const price: Price = { contract: "per_task", amount: usd("0.25") }
    const charge = (proof: Evidence) => Option.getOrThrow(settle(price, proof)).charged
    assert.strictEqual(charge({ kind: "task", status: "SUCCEEDED" }), 250_000n)
    assert.strictEqual(charge({ kind: "task", status: "CANCELED" }), 0n)
    assert.strictEqual(charge({ kind: "task", status: "CANCELED", reported: usd("0.1") }), 100_000n)
    for (const status of ["PENDING", "RUNNING", "FAILED", "UNKNOWN"] as const) {
      assert.strictEqual(charge({ kind: "task", status, reported: usd("0.1") }), 0n, status)
    }
  })

  it("charges what the upstream reports for a canceled task, also more than its price", () => {
    const price: Price = { contract: "per_task", amount: usd("0.25") }
    const settlement = settle(price, { kind: "task", status: "CANCELED", reported: usd("9") })
    assert.strictEqual(Option.getOrThrow(settlement).charged, 9_000_000n)
  })
})

describe("published prices, to the micro-USD", () => {
  it.each([
    [0, 0n],
    [9, 0n],
    [10, 1n],
    [20, 1n],
    [30, 2n],
    [12_345, 617n],
    [1_000_000, 50_000n],
    [123_456_789, 6_172_839n]
  ] as const)("rerank of %d tokens costs %d", (total_tokens, expected) => {
    assert.strictEqual(charged(rerank.price, { usage: { total_tokens } }), micro(expected))
  })

  it("comments cost 0.00188 each", () => {
    for (const count of [0, 1, 2, 3, 50, 1_000]) {
      const comments = Array.from({ length: count }, (_, i) => ({ id: String(i) }))
      assert.strictEqual(charged(postComments.price, { comments }), 1_880n * BigInt(count))
    }
    assert.strictEqual(Option.getOrThrow(estimate(postComments.price, {})).likely, usd("0.00188"))
  })

  it("reseller calls cost 0.00145, stories 0.0029, and only when the body says 200", () => {
    for (const { price } of [creatorInsights, wordSuggestions, tagDetail]) {
      assert.strictEqual(charged(price, { code: 200 }), 1_450n)
      assert.strictEqual(charged(price, { code: 200 }, 2_000_000n), 2_900n)
    }
    assert.strictEqual(charged(userStories.price, { code: 200 }), 2_900n)
    for (const code of [0, 199, 201, 204, 400, 404, 500, -200]) {
      assert.strictEqual(charged(userStories.price, { code }), 0n, String(code))
    }
    for (const code of [200.5, "200", null, undefined]) {
      assert.strictEqual(charged(userStories.price, { code }), undefined, String(code))
    }
  })
})

describe("a wrong or broken answer", () => {
  const hostile = fc.oneof(
    fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withMap: true, withSparseArray: true }),
    fc.constantFrom<unknown>(
      Number.NaN,
      Infinity,
      -1,
      -0,
      1.5,
      2 ** 53,
      1e308,
      "200",
      "5",
      "NaN",
      [200],
      [],
      {},
      null,
      undefined,
      true,
      { length: 7 },
      { valueOf: () => 200 }
    ),
    fc.nat()
  )
  const answers = fc.oneof(
    hostile,
    fc.record({ usage: hostile, comments: hostile, code: hostile }),
    fc.record({ usage: fc.record({ total_tokens: hostile }), comments: fc.array(hostile), code: hostile }),
    hostile.map((value) => JSON.parse(JSON.stringify({ value }, (_, v) => (typeof v === "bigint" ? null : v)))),
    hostile.map((value) => Object.create({ usage: { total_tokens: value }, comments: [value], code: 200 })),
    fc.constant(JSON.parse(`{"__proto__": {"code": 200, "comments": [1], "usage": {"total_tokens": 9}}}`)),
    fc.constant(JSON.parse(`{"usage": {"__proto__": {"total_tokens": 9}}, "constructor": {"code": 200}}`))
  )
  const own = (value: unknown, key: string): unknown =>
    typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, key)?.value : undefined

  it("never throws, and is charged only for what the answer proves", () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const total = own(own(answer, "usage"), "total_tokens")
        const proven = typeof total === "number" && Number.isSafeInteger(total) && total >= 0 && total <= 1e9
        assert.strictEqual(charged(rerank.price, answer), proven ? (BigInt(total) + 10n) / 20n : undefined)

        const comments = own(answer, "comments")
        const counted = Array.isArray(comments) ? 1_880n * BigInt(comments.length) : undefined
        assert.strictEqual(charged(postComments.price, answer), counted)

        const code = own(answer, "code")
        const coded = Number.isSafeInteger(code) ? (code === 200 ? 1_450n : 0n) : undefined
        assert.strictEqual(charged(tagDetail.price, answer), coded)
      }),
      { numRuns: 5_000 }
    )
  })

  it.each([
    ["a count in text", { usage: { total_tokens: "1000000" } }],
    ["a negative count", { usage: { total_tokens: -1_000_000 } }],
    ["a fraction", { usage: { total_tokens: 10.5 } }],
    ["a count beyond exact integers", { usage: { total_tokens: 1e300 } }],
    ["null inside", { usage: { total_tokens: null } }],
    ["null", null],
    ["an array", [{ usage: { total_tokens: 5 } }]],
    ["usage as an array", { usage: [{ total_tokens: 5 }] }],
    ["usage as text", { usage: "total_tokens" }]
  ])("no evidence of tokens: %s", (_, answer) => {
    assert.isTrue(Option.isNone(evidence(rerank.price, answer)))
  })

  it("no evidence of comments: an object with a length", () => {
    assert.isTrue(Option.isNone(evidence(postComments.price, { comments: { length: 1_000_000 } })))
    assert.isTrue(Option.isNone(evidence(postComments.price, { comments: "aaaa" })))
  })

  it("the estimate counts the number of answers asked for, and ignores an invalid number", () => {
    const model = { input: nano(0n), output: nano(1_000_000n), cacheRead: nano(0n), cacheWrite: nano(0n) }
    const price: Price = {
      contract: "model_tokens",
      models: { m: model },
      outputLimit: paths,
      defaultOutputLimit: 10,
      choices: [["n"]]
    }
    const most = (n: unknown) => Option.getOrThrow(estimate(price, { n }, one, "m")).most
    assert.strictEqual(most(3), 30n)
    for (const n of [undefined, null, 0, -4, 1.5, "7", {}]) assert.strictEqual(most(n), 10n)
  })

  it("estimates a request nested a hundred thousand levels deep", () => {
    const depth = 100_000
    const body: unknown = JSON.parse(
      `{"model":"m","query":"q","documents":${"[".repeat(depth)}"x"${"]".repeat(depth)}}`
    )
    const model = { input: nano(1n), output: nano(1n), cacheRead: nano(1n), cacheWrite: nano(1n) }
    const price: Price = {
      contract: "model_tokens",
      models: { m: model },
      outputLimit: paths,
      defaultOutputLimit: 1,
      choices: [["n"]]
    }
    assert.isTrue(Option.isSome(estimate(price, body)))
    assert.isTrue(Option.isSome(estimate(rerank.price, body)))
  })

  it("estimates any request, and never below zero", () => {
    fc.assert(
      fc.property(prices, answers, multipliers, (price, request, multiplier) => {
        const made = Option.getOrUndefined(estimate(price, request, multiplier))
        if (made !== undefined) assert.isTrue(0n <= made.likely && made.likely <= made.most)
      }),
      { numRuns: 2_000 }
    )
  })
})

describe("without a price", () => {
  const pending: { readonly [C in Exclude<Price["contract"], "free">]: PriceOf<C> } = {
    per_request: { contract: "per_request", amount: "pending" },
    per_token: { contract: "per_token", perMillion: "pending", texts: [{ field: "query" }] },
    response_count: { contract: "response_count", perItem: "pending", items: "comments", most: 50 },
    answer_field: { contract: "answer_field", perUnit: "pending", field: ["usage", "credits"], most: 50 },
    body_code: { contract: "body_code", amount: "pending", field: "code", equals: 200 },
    per_task: { contract: "per_task", amount: "pending" },
    reported_cost: { contract: "reported_cost", cost: { header: "x-cost" }, factor: one, most: "pending" },
    model_tokens: { contract: "model_tokens", models: {}, outputLimit: [], defaultOutputLimit: 1, choices: [["n"]] }
  }
  it.each(Object.values(pending).map((price) => [price.contract, price] as const))(
    "%s is neither estimated nor settled",
    (_, price) => {
      assert.isTrue(Option.isNone(estimate(price, { model: "m", query: "q" })))
      fc.assert(fc.property(fitting(price), (proof) => Option.isNone(settle(price, proof))))
    }
  )

  it("a model whose name is a property of every object has no price", () => {
    for (const model of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      assert.isTrue(Option.isNone(estimate(chatCompletions.price, { model })))
      const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }
      assert.isTrue(Option.isNone(settle(chatCompletions.price, { kind: "model", model, usage })))
    }
  })
})

describe("estimating", () => {
  const words = fc.string({ unit: character, maxLength: 30 })

  it("free operations cost nothing", () => {
    assert.deepStrictEqual(
      estimate({ contract: "free" }, {}, 5_000_000n),
      Option.some({ likely: nano(0n), most: nano(0n) })
    )
  })

  it("scales with the multiplier and rounds up to a nano-USD", () => {
    fc.assert(
      fc.property(amounts, multipliers, (amount, multiplier) => {
        const exact = multiply(fraction(amount), fraction(multiplier, 1_000_000n))
        for (const contract of ["per_request", "per_task"] as const) {
          const made = Option.getOrThrow(estimate({ contract, amount }, {}, multiplier))
          assert.isTrue(isCeiling(made.likely, exact) && made.most === made.likely)
        }
        const page: Price = { contract: "response_count", perItem: amount, items: "comments", most: 50 }
        assert.isTrue(isCeiling(mostOf(page, {}, multiplier), multiply(exact, fraction(50n))))
      })
    )
  })

  it("rerank: no possible token count costs more than the maximum", () => {
    const requests = fc.record({
      query: words,
      documents: fc.array(words, { minLength: 1, maxLength: 5 }),
      multiplier: multipliers,
      share: fc.double({ min: 0, max: 1, noNaN: true })
    })
    fc.assert(
      fc.property(requests, ({ documents, multiplier, query, share }) => {
        const bytes = documents.reduce((sum, text) => sum + Buffer.byteLength(query) + Buffer.byteLength(text), 0)
        const most = mostOf(rerank.price, { query, documents }, multiplier)
        for (const total of [bytes, Math.floor(bytes * share)]) {
          const settlement = Option.getOrThrow(settle(rerank.price, { kind: "tokens", total }, multiplier))
          assert.isAtMost(Number(settlement.chargedNano - most), 0)
          assert.isAtMost(Number(settlement.charged - roundToMicros(most)), 0)
        }
        const limit = multiply(perMillion(50_000_000n, bytes), fraction(multiplier, 1_000_000n))
        assert.isTrue(isCeiling(most, limit), "the maximum is no higher than the texts allow")
      }),
      { numRuns: 1_000 }
    )
  })

  it("rerank: the estimate assumes four bytes per token", () => {
    const made = Option.getOrThrow(estimate(rerank.price, { query: "aaaa", documents: ["aaaa", "aaaaaaaa"] }))
    assert.deepStrictEqual(made, { likely: nano(5n * 50n), most: nano(20n * 50n), tokens: 5 })
  })

  it("comments: no page up to the largest costs more than the maximum", () => {
    fc.assert(
      fc.property(fc.nat(50), multipliers, (count, multiplier) => {
        const settlement = Option.getOrThrow(settle(postComments.price, { kind: "items", count }, multiplier))
        return settlement.chargedNano <= mostOf(postComments.price, {}, multiplier)
      })
    )
  })

  it("reseller and tasks: no outcome but a reported cost is more than the maximum", () => {
    const either = fc.oneof(
      amounts.map((amount): Price => ({ contract: "body_code", amount, field: "code", equals: 200 })),
      amounts.map((amount): Price => ({ contract: "per_task", amount }))
    )
    const outcomes = either.chain((price) => fc.tuple(fc.constant(price), fitting(price)))
    fc.assert(
      fc.property(outcomes, multipliers, ([price, proof], multiplier) => {
        const settlement = Option.getOrThrow(settle(price, proof, multiplier))
        if ("reported" in proof) return true
        return settlement.chargedNano <= mostOf(price, {}, multiplier)
      }),
      { numRuns: 1_000 }
    )
  })

  it("models: no caching of the input and no output within the limit costs more than the maximum", () => {
    const split = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }))
    const requests = fc.record({
      texts: fc.array(words, { maxLength: 4 }),
      tools: fc.dictionary(words, words, { maxKeys: 3 }),
      limit: fc.option(fc.nat(100_000), { nil: undefined })
    })
    fc.assert(
      fc.property(modelPrices, requests, split, multipliers, (model, { limit, texts, tools }, [a, b], multiplier) => {
        const price: Price = {
          contract: "model_tokens",
          models: { m: model },
          outputLimit: paths,
          defaultOutputLimit: 4_096,
          choices: [["n"]]
        }
        const request = {
          model: "m",
          messages: texts.map((content) => ({ content })),
          tools,
          ...(limit === undefined ? {} : { max_completion_tokens: limit })
        }
        // A model reads the texts, and the names of tools, which are keys.
        const read = [...texts, ...Object.keys(tools), ...Object.values(tools)]
        const bytes = read.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
        const cacheRead = Math.floor(bytes * a)
        const cacheWrite = Math.floor((bytes - cacheRead) * b)
        const usage = { input: bytes - cacheRead - cacheWrite, cacheRead, cacheWrite, output: limit ?? 4_096 }
        const settlement = Option.getOrThrow(settle(price, { kind: "model", model: "m", usage }, multiplier))
        assert.isAtMost(Number(settlement.chargedNano - mostOf(price, request, multiplier)), 0)
      }),
      { numRuns: 1_000 }
    )
  })

  it("models: an output limit that the protocol ignores does not lower the maximum", () => {
    const model = { input: nano(0n), output: usd("10"), cacheRead: nano(0n), cacheWrite: nano(0n) }
    const outputTokens = (price: Price, request: object) => {
      assert.strictEqual(price.contract, "model_tokens")
      if (price.contract !== "model_tokens") return 0n
      return mostOf({ ...price, models: { m: model } }, { model: "m", ...request }, one) / 10_000n
    }
    assert.strictEqual(outputTokens(chatCompletions.price, { max_tokens: 7 }), 7n)
    assert.strictEqual(outputTokens(chatCompletions.price, { max_completion_tokens: 7 }), 7n)
    assert.strictEqual(outputTokens(chatCompletions.price, { max_completion_tokens: 1, max_tokens: 9_000 }), 9_000n)
    assert.strictEqual(outputTokens(messages.price, { max_tokens: 9_000 }), 9_000n)
    assert.strictEqual(outputTokens(messages.price, { max_tokens: 9_000, max_completion_tokens: 1 }), 9_000n)
    assert.strictEqual(outputTokens(generateContent.price, { generationConfig: { maxOutputTokens: 9_000 } }), 9_000n)
    assert.strictEqual(
      outputTokens(generateContent.price, { generationConfig: { maxOutputTokens: 9_000 }, max_tokens: 1 }),
      9_000n
    )
    assert.strictEqual(outputTokens(messages.price, { max_completion_tokens: 1 }), outputTokens(messages.price, {}))
    assert.strictEqual(outputTokens(generateContent.price, { max_tokens: 1 }), outputTokens(generateContent.price, {}))
    for (const nonsense of [-1, 1.5, "1", null, Number.NaN, [], {}]) {
      assert.strictEqual(outputTokens(messages.price, { max_tokens: nonsense }), outputTokens(messages.price, {}))
    }
  })
})

describe("the length of a text in UTF-8", () => {
  it("equals Node's for any text, including lone surrogates", () => {
    const unit = fc.oneof(
      fc.integer({ min: 0, max: 0xffff }),
      fc.integer({ min: 0xd800, max: 0xdfff }),
      fc.constantFrom(0, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xffff)
    )
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 40 }), (units) => {
        const text = String.fromCharCode(...units)
        assert.strictEqual(utf8Length(text), Buffer.byteLength(text))
      }),
      { numRuns: 5_000 }
    )
  })
})

describe("parsing a multiplier", () => {
  it("accepts up to six decimals", () => {
    assert.deepStrictEqual(parseMultiplier("1"), Option.some(one))
    assert.deepStrictEqual(parseMultiplier("1.45"), Option.some(1_450_000n))
    assert.deepStrictEqual(parseMultiplier("0"), Option.some(0n))
    assert.deepStrictEqual(parseMultiplier("0.000001"), Option.some(1n))
  })

  it.each(["", "-1", "+1", "1.", ".5", "1e1", "1,45", " 1", "0.0000001", "NaN", "1\n"])("rejects %j", (text) => {
    assert.isTrue(Option.isNone(parseMultiplier(text)))
  })
})

describe("the expected tokens of a request", () => {
  it("are a quarter of the bytes of its text, plus the output limit", () => {
    const asked = { model: "m", messages: [{ role: "user", content: "€".repeat(100) }] }
    const bytes = "modelmmessagesroleusercontent".length + 300
    assert.strictEqual(estimateTokens(chatCompletions.price, asked), Math.ceil(bytes / 4) + 4_096)
    const limited = { ...asked, max_tokens: 10, max_completion_tokens: 20 }
    const more = "max_tokensmax_completion_tokens".length
    assert.strictEqual(estimateTokens(chatCompletions.price, limited), Math.ceil((bytes + more) / 4) + 20)
  })

  it("are the billed tokens and those of fields that nobody knows, if tokens are billed", () => {
    const asked = { query: "12345", documents: ["a", "bc", "def"], top_n: 2 }
    assert.strictEqual(estimateTokens(rerank.price, asked), Math.ceil((3 * 5 + 6) / 4))
    const instructed = { ...asked, instruction: "x".repeat(1_000) }
    assert.strictEqual(estimateTokens(rerank.price, instructed), Math.ceil((3 * 5 + 6 + 1_000) / 4))
    assert.strictEqual(mostOf(rerank.price, instructed, one), BigInt((3 * 5 + 6 + 3 * 1_000) * 50))
  })

  it("are only those of the text, for another kind of price", () => {
    assert.strictEqual(estimateTokens(wordSuggestions.price, { word: "1234" }), 2)
    assert.strictEqual(estimateTokens(wordSuggestions.price, undefined), 0)
  })
})
