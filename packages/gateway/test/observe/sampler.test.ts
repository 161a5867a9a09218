import { assert, describe, it } from "vitest"
import { Sampler } from "../../src/observe/trace/Tracing.ts"

const caller = (sampled: boolean) => ({ traceId: "a".repeat(32), spanId: "b".repeat(16), sampled })

const recorded = (sampler: Sampler, parent: ReturnType<typeof caller> | undefined, count: number, now = 0): number =>
  Array.from({ length: count }).filter(() => sampler.records(parent, now)).length

/** Every number of a hundredth once. */
const evenly = () => {
  let i = 0
  return () => (i++ % 100) / 100
}

describe("which traces are recorded", () => {
  it("a share of those that begin here", () => {
    const sampler = new Sampler({ ratio: 0.07, followsCallers: true, callersPerSecond: 10 }, evenly())
    assert.strictEqual(recorded(sampler, undefined, 1_000), 70)
  })

  it("all, or none", () => {
    const of = (ratio: number) => new Sampler({ ratio, followsCallers: false, callersPerSecond: 0 }, evenly())
    assert.strictEqual(recorded(of(1), undefined, 100), 100)
    assert.strictEqual(recorded(of(0), undefined, 100), 0)
  })

  it("a caller who asks for all gets a few a second, and then its share", () => {
    const sampler = new Sampler({ ratio: 0.01, followsCallers: true, callersPerSecond: 10 }, evenly())
    assert.strictEqual(recorded(sampler, caller(true), 1_010), 10 + 10)
    assert.strictEqual(recorded(sampler, caller(true), 1_010, 1_000), 10 + 10)
    assert.strictEqual(recorded(sampler, caller(true), 1_005, 1_500), 5 + 10)
  })

  it("none of a caller who does not record", () => {
    const sampler = new Sampler({ ratio: 1, followsCallers: true, callersPerSecond: 10 }, evenly())
    assert.strictEqual(recorded(sampler, caller(false), 100), 0)
  })

  it("as if there were no caller, if the operator says so", () => {
    const sampler = new Sampler({ ratio: 0.5, followsCallers: false, callersPerSecond: 10 }, evenly())
    assert.strictEqual(recorded(sampler, caller(false), 100), 50)
    assert.strictEqual(recorded(sampler, caller(true), 100), 50)
  })

  it("a clock that goes back gives nothing away", () => {
    const sampler = new Sampler({ ratio: 0, followsCallers: true, callersPerSecond: 2 }, evenly())
    assert.strictEqual(recorded(sampler, caller(true), 10, 5_000), 2)
    assert.strictEqual(recorded(sampler, caller(true), 10, 1_000), 0)
  })
})
