import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type NanoUsd, usd } from "../src/Money.ts"
import { userStories } from "../src/operations/userStories.ts"
import { basis, contractOf, estimate, settle } from "../src/price/contracts.ts"
import { type ReportedCost, reportedCost, ReportedCostSection } from "../src/price/contracts/reportedCost.ts"
import { one } from "../src/price/Price.ts"

const price: ReportedCost = {
  contract: "reported_cost",
  cost: { field: ["usage", "cost"] },
  factor: 1_450_000n,
  most: usd("0.05")
}

const charged = (reported: string | undefined, terms: ReportedCost = price, multiplier = one): NanoUsd | undefined => {
  const evidence = contractOf(terms).evidence(terms, {}, reported)
  return evidence && Option.getOrUndefined(settle(terms, evidence, multiplier))?.chargedNano
}

describe("what the upstream says that a call cost", () => {
  it.each([
    ["0.001", "0.00145"],
    ["1e-7", "0.000000145"],
    ["1E-7", "0.000000145"],
    ["2.5e+1", "36.25"],
    ["0", "0"],
    ["0.0", "0"],
    // A float would make 0.30000000000000004 of the first, and lose the last digit of the second.
    ["0.3", "0.435"],
    ["123456.789012345", "179012.3440679"],
    // More digits than a micro-USD has are used, and rounded once.
    ["0.00000000068965517", "0.000000001"],
    ["0.000000000000000000000000000001", "0"]
  ])("%s is charged times the factor, exactly: %s", (reported, expected) => {
    assert.strictEqual(charged(reported), usd(expected))
  })

  it("is an amount of units, if the price has one for them", () => {
    const credits: ReportedCost = { ...price, perUnit: usd("0.002"), unit: "credit" }
    assert.strictEqual(charged("7", credits), usd("0.0203"))
    assert.strictEqual(charged("7", credits, 2_000_000n), usd("0.0406"))
    assert.strictEqual(
      basis(credits),
      "$0.002 / credit that the upstream reports in usage.cost, times 1.45; the estimate and the maximum assume $0.05"
    )
  })

  it.each([
    undefined,
    "",
    "-1",
    "-0",
    "+1",
    "NaN",
    "Infinity",
    "null",
    "true",
    "{}",
    "[1]",
    ".5",
    "1.",
    "1e",
    "1e999",
    "1e-999",
    "0x10",
    "1,5",
    " 1",
    "1 USD",
    "9".repeat(13),
    "1000000.000000001",
    "1e6000",
    `0.${"1".repeat(31)}`
  ])("%j proves no cost", (reported) => {
    assert.strictEqual(charged(reported), undefined)
  })

  it("proves up to a million USD", () => {
    assert.strictEqual(charged("1000000", { ...price, factor: one }), usd("1000000"))
    assert.strictEqual(charged("1e6", { ...price, factor: one }), usd("1000000"))
  })

  it("may be more than was assumed", () => {
    assert.strictEqual(charged("9"), usd("13.05"))
    assert.deepStrictEqual(estimate(price, {}), Option.some({ likely: usd("0.05"), most: usd("0.05") }))
  })

  it("costs the most if nobody saw the report", () => {
    const { unreported } = contractOf(price)
    assert.strictEqual(unreported && Option.getOrUndefined(settle(price, unreported))?.chargedNano, usd("0.05"))
  })
})

describe("a declared failure", () => {
  const coded: ReportedCost = { ...price, success: { field: "code", equals: 200 } }
  const evidence = (answer: unknown, reported = "0.001") => reportedCost.evidence(coded, answer, reported)

  it("costs nothing, though it reports a cost", () => {
    assert.deepStrictEqual(evidence({ code: 200 }), { kind: "cost", reported: "0.001" })
    assert.deepStrictEqual(evidence({ code: 404 }), { kind: "failed" })
    for (const code of ["200", 200.5, null, undefined, {}]) assert.strictEqual(evidence({ code }), undefined)
  })

  it("is one of the operation's own price", () => {
    const terms = Schema.decodeUnknownSync(ReportedCostSection(userStories.price))({
      contract: "reported_cost",
      cost: "cost",
      factor: "1.45",
      most: "0.01"
    })
    assert.deepStrictEqual(terms, {
      contract: "reported_cost",
      cost: { field: ["cost"] },
      factor: 1_450_000n,
      most: usd("0.01"),
      success: { field: "code", equals: 200 }
    })
  })
})

describe("as it is written", () => {
  const decode = Schema.decodeUnknownOption(ReportedCostSection({ contract: "per_request" }))
  const written = { contract: "reported_cost", cost: "usage.cost", factor: "1.45", most: "0.05" }

  it.each([written, { ...written, cost: { header: "x-cost" } }, { ...written, perUnit: "0.001", unit: "credit" }])(
    "%j is read back",
    (section) => {
      const terms = Option.getOrThrow(decode(section))
      assert.deepStrictEqual(reportedCost.written(terms), section)
      assert.isFalse(reportedCost.canBeFree(terms))
    }
  )

  it("needs no factor, and needs what a call can cost at most", () => {
    const { factor: _, ...whole } = written
    assert.strictEqual(Option.getOrThrow(decode(whole)).factor, one)
    const { most: __, ...unbounded } = written
    for (const wrong of [
      unbounded,
      { ...written, most: "0" },
      { ...written, most: 0.05 },
      { ...written, perUnit: "0" },
      { ...written, factor: "1,45" },
      { ...written, factor: 1.45 },
      { ...written, cost: "" },
      { ...written, cost: {} },
      { ...written, cost: { header: "a b" } },
      { ...written, contract: "per_request" }
    ]) {
      assert.isTrue(Option.isNone(decode(wrong)), JSON.stringify(wrong))
    }
  })

  it("with a factor of zero some calls are free", () => {
    assert.isTrue(reportedCost.canBeFree(Option.getOrThrow(decode({ ...written, factor: "0" }))))
  })
})
