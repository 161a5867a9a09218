import { expect, it } from "vitest"
import { chargedUsd, columnUsd, leftUsd } from "../src/ui/amounts.ts"

it("a balance has two decimals, and never shows more than there is", () => {
  const shown = [0, 1, 9_999, 10_000, 4_999_999, 5_000_000, 1_234_567_890, -1, -10_000].map((micros) => leftUsd(micros))
  expect(shown).toEqual(["$0.00", "< $0.01", "< $0.01", "$0.01", "$4.99", "$5.00", "$1,234.56", "−$0.01", "−$0.01"])
})

it("amounts of a column have the same decimals", () => {
  expect([0, 1, 1_450, 1_000_000, -25].map((micros) => columnUsd(micros))).toEqual([
    "$0.000000",
    "$0.000001",
    "$0.001450",
    "$1.000000",
    "−$0.000025"
  ])
})

it("a charge below a micro-USD is not shown as nothing", () => {
  expect(chargedUsd(0, "400")).toBe("< $0.000001")
  expect(chargedUsd(0, "0")).toBe("$0.00")
  expect(chargedUsd(1, "700")).toBe("$0.000001")
})
