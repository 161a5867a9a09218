import { describe, expect, it } from "vitest"
import { Line, Waiter } from "../../src/ledger/Line.ts"

const always = () => true

describe("a line", () => {
  it("names the last call of the key that has most, for a key that has fewer", () => {
    const line = new Line<Waiter>(10_000)
    const crowd = Array.from({ length: 4 }, (_, i) => new Waiter("a", 1n, i))
    for (const waiter of crowd) line.add(waiter)
    expect(line.lastOfMost("b", always)).toBe(crowd[3])
    expect(line.lastOfMost("b", (waiter) => waiter !== crowd[3])).toBe(crowd[2])
    expect(line.lastOfMost("a", always)).toBeUndefined()
    for (let i = 0; i < 3; i++) line.add(new Waiter("b", 1n, 9))
    expect(line.lastOfMost("b", always)).toBeUndefined()
    expect(line.lastOfMost("c", always)).toBe(crowd[3])
  })
})
