import { expect, it } from "vitest"
import { amountProblem, states } from "../src/pages/billing/payment.ts"

const bounds = { least_micros_usd: 5_000_000, most_micros_usd: "2000000000" }

it.each([
  [5_000_000, undefined],
  [2_000_000_000, undefined],
  [25_010_000, undefined],
  [25_001_000, "Enter whole cents."],
  [4_990_000, "Enter an amount from $5.00 to $2,000.00."],
  [2_000_010_000, "Enter an amount from $5.00 to $2,000.00."],
  [-25_000_000, "Enter an amount from $5.00 to $2,000.00."],
  [undefined, undefined]
])("an amount of %s to pay: %s", (amount, problem) => {
  expect(amountProblem(amount, bounds)).toBe(problem)
})

it("only a payment that is paid is said to be added", () => {
  expect(states.paid[2]("$25.00")).toBe("Thank you, $25.00 were added.")
  for (const [, color, said] of [states.open, states.unknown, states.failed]) {
    expect(color).not.toBe("good")
    expect(said("$25.00")).not.toContain("were added")
  }
})
