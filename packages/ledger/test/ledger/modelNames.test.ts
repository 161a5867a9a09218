import { expect, it } from "@effect/vitest"
import { ModelNames } from "../../src/ledger/recorded.ts"

it("the names of models are remembered for a bounded number of keys", () => {
  const names = new ModelNames()
  for (let i = 0; i < 10_050; i++) expect(names.recorded("m", "a", `key_${i}`, 1)).toBe("m")
  expect(names.size).toBe(10_000)
  // One that was remembered still counts: it has no more than 64 names in a day.
  for (let i = 1; i < 64; i++) expect(names.recorded(`m-${i}`, "a", "key_10049", 1)).toBe(`m-${i}`)
  expect(names.recorded("m-64", "a", "key_10049", 1)).toBeUndefined()
  expect(names.recorded("m-64", "a", "key_10049", 86_400_001)).toBe("m-64")
  expect(names.size).toBe(1)
})
