import { describe, expect, it } from "@effect/vitest"
import { formatUsd } from "@tollgate/contract/Money"
import { amountOf } from "@tollgate/tools/inputs"
import * as fc from "fast-check"

const textOf = (amount: number): string | undefined => {
  const exact = amountOf(amount)
  return exact === undefined ? undefined : formatUsd(exact)
}

describe("an amount that is a JSON number", () => {
  it.each([
    [0, "0"],
    [-0, "0"],
    [0.05, "0.05"],
    [1e-9, "0.000000001"],
    [1.5e-7, "0.00000015"],
    [0.3, "0.3"],
    [12.34, "12.34"],
    [1e11, "100000000000"],
    [123456.789, "123456.789"]
  ])("%d is %s USD", (amount, text) => expect(textOf(amount)).toBe(text))

  it.each([-1, -1e-9, NaN, Infinity, 1e-10, 0.1 + 0.2, 1.2345678901, 1e21, 1e12, Number("12345678901.123456")])(
    "%d is refused",
    (amount) => expect(amountOf(amount)).toBeUndefined()
  )

  it("is never more or less than what was written", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999 }), fc.integer({ min: 0, max: 999_999_999 }), (usd, nano) => {
        const written = `${usd}.${String(nano).padStart(9, "0")}`
        expect(amountOf(JSON.parse(written) as number)).toBe(BigInt(usd) * 1_000_000_000n + BigInt(nano))
      })
    )
  })
})
