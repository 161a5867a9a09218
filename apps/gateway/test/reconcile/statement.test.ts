import { describe, expect, it } from "vitest"
import { Statement } from "../../src/reconcile/Statement.ts"

const at = "export.json, data.0"
const hour = 3_600_000

describe("what a provider says", () => {
  it("is bounded in memory, however many names there are", () => {
    const statement = new Statement("csv", new Map())
    const read = () => {
      for (let i = 0; i < 1_000_000; i++) statement.add(1, String(i), "input", 1n)
    }
    expect(read).toThrow(/different models and days/)
  })

  it("tells how many buckets appear twice", () => {
    const statement = new Statement("openai", new Map())
    for (let i = 0; i < 1_000; i++) statement.isNew("same")
    statement.close()
    expect(statement.notes).toEqual(["Buckets that appear twice, and count once: 999."])
  })

  it("may have its buckets in any order, if none overlaps another", () => {
    const statement = new Statement("openai", new Map())
    for (let i = 100_000; i > 0; i--) statement.cover({ start: i * hour, end: (i + 1) * hour }, at)
    expect(statement.overlap()).toBeUndefined()
    statement.cover({ start: 10 * hour, end: 12 * hour }, at)
    expect(statement.overlap()?.message).toContain("overlaps another")
  })
})
