import { describe, expect, it } from "vitest"
import { Statement } from "../../src/reconcile/Statement.ts"

const at = { file: "export.json", line: 1, column: 1 }
const hour = 3_600_000

describe("what a provider says", () => {
  it("is bounded in memory, however long or many the names are", () => {
    for (const nameOf of [(i: number) => String(i), (i: number) => `${i}${"x".repeat(1_000_000)}`]) {
      const statement = new Statement("csv", new Map())
      const read = () => {
        for (let i = 0; i < 1_000_000; i++) statement.add(1, nameOf(i), "input", 1n)
      }
      expect(read).toThrow(/too many different models/)
    }
    const kinds = new Statement("csv", new Map())
    const read = () => {
      for (let i = 0; i < 1_000_000; i++) kinds.addBesides(`tax ${i}`, 1n)
    }
    expect(read).toThrow(/too many different models/)
  })

  it("tells of the first buckets that appear twice, and counts the others", () => {
    const statement = new Statement("openai", new Map())
    for (let i = 0; i < 1_000; i++) statement.isNew("same", at)
    statement.close()
    expect(statement.notes).toHaveLength(21)
    expect(statement.notes.at(-1)).toBe("979 more buckets appear twice; they count once.")
  })

  it("may have its buckets in any order, if none overlaps another", () => {
    const statement = new Statement("openai", new Map())
    for (let i = 100_000; i > 0; i--) statement.cover({ start: i * hour, end: (i + 1) * hour }, at)
    expect(statement.overlap()).toBeUndefined()
    statement.cover({ start: 10 * hour, end: 12 * hour }, at)
    expect(statement.overlap()?.message).toContain("overlaps another")
  })
})
