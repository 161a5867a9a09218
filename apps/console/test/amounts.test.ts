import { expect, it } from "vitest"
import { chargedUsd, columnUsd, leftUsd, usdColumn } from "../src/ui/amounts.ts"

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

it("amounts of a table have the decimals of the finest, and two at least", () => {
  const written = (amounts: ReadonlyArray<number | null>) =>
    amounts.map((amount) => (amount === null ? "None" : usdColumn(amounts)(amount)))
  expect(written([])).toEqual([])
  expect(written([0, 5_000_000, null])).toEqual(["$0.00", "$5.00", "None"])
  expect(written([1_450, 12_000_000, -20_000])).toEqual(["$0.00145", "$12.00000", "−$0.02000"])
})

it("a charge below a micro-USD is not shown as nothing", () => {
  expect(chargedUsd(0, "400")).toBe("< $0.000001")
  expect(chargedUsd(0, "0")).toBe("$0.00")
  expect(chargedUsd(1, "700")).toBe("$0.000001")
  expect(chargedUsd(0, "400", columnUsd)).toBe("< $0.000001")
  expect(chargedUsd(0, "0", columnUsd)).toBe("$0.000000")
})
