import { describe, expect, it } from "@effect/vitest"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as fc from "fast-check"
import { JsonBounds, most, uncheckedBytes } from "../../src/internal/jsonScan.ts"

/** Makes any text long enough to be checked. */
const padding = " ".repeat(uncheckedBytes)

const checked = (text: string, size = Number.MAX_SAFE_INTEGER): string | undefined => {
  const bytes = Utf8.encode(text + padding)
  const bounds = new JsonBounds()
  let excess: string | undefined
  for (let i = 0; i < bytes.length && excess === undefined; i += size) excess = bounds.push(bytes.subarray(i, i + size))
  return excess
}

const arrays = (depth: number) => "[".repeat(depth) + "]".repeat(depth)

describe("a body is checked while it arrives", () => {
  it("exactly up to its bounds", () => {
    const values = (count: number) => `[${"1,".repeat(count - 1)}]`
    expect(checked(values(most.values))).toBeUndefined()
    expect(checked(values(most.values + 1))).toContain("names and values")
    expect(checked(arrays(most.depth))).toBeUndefined()
    expect(checked(arrays(most.depth + 1))).toContain("levels")
    const escapes = (count: number) => `"${"\\n".repeat(count)}"`
    expect(checked(escapes(most.escapes))).toBeUndefined()
    expect(checked(escapes(most.escapes + 1))).toContain("escaped characters")
    expect(new JsonBounds(70_000).push(Utf8.encode(escapes(70_000)))).toBeUndefined()
    expect(new JsonBounds(70_000).push(Utf8.encode(escapes(70_001)))).toContain("more than 70000 escaped characters")
  })

  it("names count like values", () => {
    const names = `{${'"a":1,'.repeat(most.values / 2)}`
    expect(checked(names)).toContain("names and values")
  })

  it("the names of one object count by themselves", () => {
    const object = (count: number) => `{${'"a":1,'.repeat(count - 1)}"a":{"b":{}}}`
    const after = (text: string) => `{"x":"${" ".repeat(uncheckedBytes)}","y":[${text}]}`
    for (const size of [1_000, 100_000, undefined]) {
      expect(checked(after(object(most.names)), size)).toBeUndefined()
      expect(checked(after(object(most.names + 1)), size)).toContain("an object with more than 10000 names")
      expect(checked(after([6_000, 6_000, 6_000].map(object).join()), size)).toBeUndefined()
    }
  })

  it("the bytes of all names count together", () => {
    const length = 1_000
    const object = (count: number) => `{${`"${"n".repeat(length - 1)}":"${"v".repeat(length)}",`.repeat(count)}"":1}`
    const count = Math.floor(most.bytesOfNames / length)
    for (const size of [99_999, undefined]) {
      expect(checked(object(count), size)).toBeUndefined()
      expect(checked(object(count + 1), size)).toContain("bytes of names")
    }
  })

  it("a short body is not checked", () => {
    expect(new JsonBounds().push(Utf8.encode(arrays(uncheckedBytes / 2)))).toBeUndefined()
  })

  it("brackets, commas and quotes in strings do not count", () => {
    const text = fc.array(fc.constantFrom("[", "{", ",", ":", '"', "\\", "a", "é", "😀"), { maxLength: 2_000 })
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 50 }), (parts, size) => {
        const strings = JSON.stringify(Array.from({ length: 100 }, () => parts.join("")))
        // One level more than allowed after the strings: found only if they were skipped exactly.
        expect(checked(`[${strings},${arrays(most.depth)}]`, size)).toContain("levels")
        expect(checked(`[${strings},${arrays(most.depth - 1)}]`, size)).toBeUndefined()
      }),
      { numRuns: 50 }
    )
  })

  it("wherever it is cut", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.integer({ min: 1, max: 9 }), (json, size) => {
        const deep = `[${json},${arrays(most.depth)}]`
        expect(checked(deep, size)).toBe(checked(deep))
        expect(checked(json, size)).toBeUndefined()
      }),
      { numRuns: 50 }
    )
  })
})
