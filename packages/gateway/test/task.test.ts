import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as fc from "fast-check"
import { Pace } from "../src/task/Pace.ts"
import { Places } from "../src/task/Places.ts"
import { bodyOf, read } from "../src/task/seen.ts"
import { unsupportedUri } from "../src/task/unsupportedUri.ts"

describe("the pace of polls", () => {
  it("is no more than two in a second over any time, whatever callers do", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 100 }), (pauses) => {
        const pace = new Pace()
        const passed: Array<number> = []
        let now = 1_000
        for (const pause of pauses) {
          now += pause
          const wait = pace.wait("one", now)
          if (wait === 0) passed.push(now)
          // What it says is true: by then it passes.
          else expect(wait).toBeLessThanOrEqual(500)
        }
        for (const [i, from] of passed.entries()) {
          for (const [j, to] of passed.entries())
            if (j > i) expect(j - i + 1).toBeLessThanOrEqual(2 + (to - from) / 500)
        }
      })
    )
  })

  it("lets a poll pass after the wait it named, and every half second", () => {
    const pace = new Pace()
    expect([pace.wait("a", 0), pace.wait("a", 0), pace.wait("a", 0), pace.wait("b", 0)]).toEqual([0, 0, 500, 0])
    expect([pace.wait("a", 499), pace.wait("a", 500)]).toEqual([1, 0])
    for (let now = 5_000; now < 20_000; now += 500) expect(pace.wait("a", now)).toBe(0)
  })

  it("of very many is remembered for the latest", () => {
    const pace = new Pace()
    for (let i = 0; i < 30_000; i++) pace.wait(String(i), 0)
    expect([pace.wait("29999", 0), pace.wait("29999", 0)]).toEqual([0, 500])
    expect([pace.wait("5", 0), pace.wait("5", 0)]).toEqual([0, 0])
  })
})

describe("places", () => {
  it.effect("count a task that is recorded while the store is read", () =>
    Effect.gen(function* () {
      const read = yield* Deferred.make<ReadonlyArray<string>>()
      let slow = false
      const places = new Places(() => (slow ? Deferred.await(read) : Effect.succeed([])))
      yield* places.take("purse", "first", 2)
      yield* places.take("purse", "second", 2)
      slow = true
      const third = yield* Effect.forkChild(Effect.flip(places.take("purse", "third", 2)), { startImmediately: true })
      // Both are in the store now, and were not when it was read.
      places.give("purse", "first")
      places.give("purse", "second")
      yield* Deferred.succeed(read, [])
      expect(yield* Fiber.join(third)).toMatchObject({ refusal: { code: "rate_limit_exceeded" } })
    })
  )

  it.effect("count once what is both in the store and being asked for", () =>
    Effect.gen(function* () {
      const places = new Places(() => Effect.succeed(["first"]))
      yield* places.take("purse", "first", 2)
      yield* places.take("purse", "second", 2)
      expect(yield* Effect.flip(places.take("purse", "third", 2))).toMatchObject({ _tag: "Refused" })
      yield* places.take("another", "third", 2)
    })
  )
})

describe("what is seen of a task", () => {
  const seen = (output: object) =>
    read(new TextEncoder().encode(JSON.stringify({ output: { task_id: "t", ...output } })))

  it("has times as they are promised, or none", () => {
    const one = seen({
      task_status: "FAILED",
      submit_time: "1970-01-01T00:00:00Z",
      scheduled_time: "soon",
      end_time: 5
    })
    expect(JSON.parse(bodyOf("ours", one!, 1_000, 61_500))).toEqual({
      output: {
        task_id: "ours",
        task_status: "FAILED",
        submit_time: "1970-01-01 00:00:01.000",
        end_time: "1970-01-01 00:01:01.500"
      }
    })
    const two = seen({ task_status: "RUNNING", submit_time: "2026-01-31 10:00:00.123", odd: [1], end_time: null })
    expect(JSON.parse(bodyOf("ours", two!, 0, 5_000))).toEqual({
      output: { task_id: "ours", task_status: "RUNNING", submit_time: "2026-01-31 10:00:00.123", odd: [1] }
    })
  })

  it("is nothing where it cannot be relied on", () => {
    for (const output of [
      {},
      { task_status: "done" },
      { task_status: "SUCCEEDED" },
      { task_status: "RUNNING", task_id: "" }
    ]) {
      expect(seen(output)).toBe(undefined)
    }
    expect(seen({ task_status: "SUCCEEDED", video_url: "https://x" })?.status).toBe("SUCCEEDED")
  })
})

it("an id in the query is at no address that is supported", () => {
  const at = (path: string, query: string) => unsupportedUri({ path, query })?.refusal
  const tasks = "/apis/v1/services/aigc/tasks"
  expect(at(tasks, "a=b&task_id=x")).toEqual({ code: "unsupported_uri", message: "unsupported uri" })
  expect([at(tasks, ""), at(tasks, "id=x"), at(`${tasks}/x`, "task_id=x"), at("/v1/rerank", "task_id=x")]).toEqual(
    Array.from({ length: 4 })
  )
})
