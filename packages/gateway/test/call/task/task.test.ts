import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { pollLimit } from "../../../src/call/task/Tasks.ts"
import { NameLimit } from "../../../src/limits/NameLimit.ts"
import { unsupportedUri } from "../../../src/call/steps/03-operation.ts"

describe("the limit of polls", () => {
  it("allows at most two polls per second on average, however callers time them", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 100 }), (pauses) => {
        const limiter = new NameLimit(pollLimit)
        const allowed: Array<number> = []
        let now = 1_000
        for (const pause of pauses) {
          now += pause
          const wait = limiter.take("one", now)
          if (wait === 0) allowed.push(now)
          else expect(wait).toBeLessThanOrEqual(500)
        }
        for (const [i, from] of allowed.entries()) {
          for (const [j, to] of allowed.entries())
            if (j > i) expect(j - i + 1).toBeLessThanOrEqual(2 + (to - from) / 500)
        }
      })
    )
  })

  it("allows a poll after the wait it returned, and every half second", () => {
    const limiter = new NameLimit(pollLimit)
    expect([limiter.take("a", 0), limiter.take("a", 0), limiter.take("a", 0), limiter.take("b", 0)]).toEqual([
      0, 0, 500, 0
    ])
    expect([limiter.take("a", 499), limiter.take("a", 500)]).toEqual([1, 0])
    for (let now = 5_000; now < 20_000; now += 500) expect(limiter.take("a", now)).toBe(0)
  })
})

it("a poll with the task's id in the query is refused as an unsupported uri", () => {
  const refusalAt = (path: string, query: string) => unsupportedUri({ path, query })?.refusal
  const tasks = "/apis/v1/services/aigc/tasks"
  expect(refusalAt(tasks, "a=b&task_id=x")).toEqual({ code: "unsupported_uri", message: "unsupported uri" })
  expect([
    refusalAt(tasks, ""),
    refusalAt(tasks, "id=x"),
    refusalAt(`${tasks}/x`, "task_id=x"),
    refusalAt("/v1/rerank", "task_id=x")
  ]).toEqual(Array.from({ length: 4 }))
})
