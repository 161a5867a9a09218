import { describe, expect, it } from "@effect/vitest"
import { nano, usd } from "@tollgate/contract/Money"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as fc from "fast-check"
import { readCanceledCost } from "../../../src/upstream/protocols/reportedCost.ts"

const path = ["usage", "cost"]
const costOf = (body: string, perUnit?: string) =>
  readCanceledCost(Utf8.encode(body), { path, ...(perUnit === undefined ? {} : { perUnit: usd(perUnit) }) })
const written = (value: string, perUnit?: string) => costOf(`{"usage":{"cost":${value}}}`, perUnit)

describe("the cost of a canceled task", () => {
  it.each<[string, string]>([
    ["0", "0"],
    ["0.02", "0.02"],
    ['"0.02"', "0.02"],
    ["12", "12"],
    ["1.5e-3", "0.0015"],
    ['"2E2"', "200"],
    ["0.1234567894", "0.123456789"],
    ["0.1234567895", "0.12345679"],
    // As a number of JavaScript this would be 0.1 + 0.2.
    ["0.300000000000000044408920985", "0.3"],
    ["1000000", "1000000"]
  ])("is %s USD", (value, cost) => {
    expect(written(value)).toBe(usd(cost))
  })

  it("is the number of units times their price, rounded once", () => {
    expect(written("2.5", "0.01")).toBe(usd("0.025"))
    expect(written('"3"', "0.000000001")).toBe(nano(3n))
    expect(written("0.333333", "0.000000003")).toBe(nano(1n))
  })

  it.each([
    "-1",
    '"-0.5"',
    "1000000.000000001",
    "1e99",
    "1e400",
    '"a lot"',
    '""',
    "true",
    "null",
    "[1]",
    "{}",
    '"1 "',
    '"\\u0031"'
  ])("is not known from %s", (value) => {
    expect(written(value)).toBe(undefined)
  })

  it.each(["", "{}", '{"usage":{}}', '{"usage":[{"cost":1}]}', '{"cost":1}', '{"usage":{"cost":1}', "<html>"])(
    "is not known from %s, where the field is missing",
    (body) => {
      expect(costOf(body)).toBe(undefined)
    }
  )

  it("is exact for every amount", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (amount) => {
        const text = `${amount / 10n ** 9n}.${String(amount % 10n ** 9n).padStart(9, "0")}`
        expect(written(text)).toBe(amount)
        expect(written(JSON.stringify(text))).toBe(amount)
      })
    )
  })
})
