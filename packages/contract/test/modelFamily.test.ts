import { describe, expect, it } from "vitest"
import { findModel } from "../src/price/modelFamily.ts"

const entries = {
  "gpt-6-astra": "dear",
  "gpt-6-astra-2026-09-01": "own",
  "gpt-6-astra-*": "longer",
  "gpt-*": "cheap",
  "gpt-6-*": "middle",
  "gemini-4-argon-preview": "preview",
  "*": "any"
}

describe("the entry of a model", () => {
  it.each<[string, string | undefined]>([
    ["gpt-6-astra", "dear"],
    ["gpt-6-astra-2026-09-01", "own"],
    // Its date in any form that providers use.
    ...[
      "-2026-08-01",
      "-20260801",
      "-2026-08",
      "-08-2026",
      "-08-01",
      "-0801",
      "-2608",
      "-001",
      "@20260801",
      "@2026-08-01",
      "@001",
      "@default",
      "-latest",
      "@latest",
      ":latest",
      "-LATEST"
    ].map((date): [string, string] => [`gpt-6-astra${date}`, "dear"]),
    ["models/gpt-6-astra", "dear"],
    ["publishers/openai/models/gpt-6-astra@20260801", "dear"],
    ["gemini-4-argon-preview-09-2026", "preview"],
    // Other names only fit a pattern, the longest first.
    ["gpt-6-astra-mini", "longer"],
    ["gpt-6-astra-2026-13-01", "longer"],
    ["gpt-6-sol-latest", "middle"],
    ["gpt-5-2026-08-01", "cheap"],
    ["maker/gpt-6-astra", "any"],
    ["toString", "any"],
    // No caller selects a pattern.
    ["gpt-*", undefined],
    ["gpt-*-latest", "cheap"]
  ])("%s", (name, expected) => {
    expect(findModel(entries, name)).toBe(expected)
  })

  it("that is longer than any model's is none", () => {
    expect(findModel(entries, `gpt-6-astra-${"x".repeat(188)}`)).toBe("longer")
    expect(findModel(entries, `gpt-6-astra-${"x".repeat(189)}`)).toBe(undefined)
  })
})
