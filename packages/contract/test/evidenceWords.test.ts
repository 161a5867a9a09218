import { expect, it } from "vitest"
import { evidenceWords } from "../src/price/evidenceWords.ts"
import { noTokens } from "../src/price/TokenKind.ts"

it("what a charge was calculated from is said in a sentence", () => {
  const usage = { ...noTokens, input: 1_200, cacheRead: 7 }
  expect(evidenceWords({ kind: "model", model: "large", usage, isEstimate: true })).toBe(
    "Model large: 1,200 input tokens, 7 tokens read from a cache, counted from the text, because the upstream did not report it."
  )
  expect(evidenceWords({ kind: "model", model: "large", usage: noTokens })).toContain("no tokens, as the upstream")
  expect(evidenceWords({ kind: "units", count: 3 })).toBe("3 units, as the upstream reported.")
  expect(evidenceWords({ kind: "cost", reported: "0.002" })).toBe("The upstream reported a cost of $0.002.")
  expect(evidenceWords({ kind: "request", times: { count: 2, unit: "image" } })).toContain("for 2 images")
  const kept = { kind: "kept", call: "req_1", share: "250000", age: 60, of: { kind: "request" } } as const
  expect(evidenceWords(kept)).toContain("60 seconds old, for 25 % of its price")
})
