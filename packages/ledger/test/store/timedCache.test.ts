import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TimedCache } from "../../src/store/TimedCache.ts"

/** A cache whose values are read again by `reads`, in order. */
const make = (...reads: ReadonlyArray<(cache: TimedCache<string>, now: number) => Effect.Effect<void, string>>) => {
  const asked: Array<readonly [string, number, string]> = []
  const cache: TimedCache<string> = new TimedCache<string>(Effect.runFork, (name, now, value) => {
    asked.push([name, now, value])
    return reads[asked.length - 1]?.(cache, now) ?? Effect.never
  })
  cache.set("a", "first", 0)
  return { cache, asked }
}

describe("what was read of the store", () => {
  it("is used for a second", () => {
    const { cache } = make()
    expect(cache.get("a", 0)).toBe("first")
    expect(cache.get("a", 999)).toBe("first")
    expect(cache.get("a", 1_000)).toBe(undefined)
    expect(cache.get("b", 0)).toBe(undefined)
  })

  it("is read again once after half of it, however many ask, and none waits", () => {
    const { asked, cache } = make()
    expect(cache.get("a", 499)).toBe("first")
    expect(asked).toEqual([])
    for (let now = 500; now < 1_000; now++) expect(cache.get("a", now)).toBe("first")
    expect(asked).toEqual([["a", 500, "first"]])
  })

  it("is the new value from then on, which is a second old when its reading began a second ago", () => {
    const { asked, cache } = make((cache, now) => Effect.sync(() => cache.set("a", "second", now)))
    expect(cache.get("a", 500)).toBe("first")
    expect(cache.get("a", 999)).toBe("second")
    expect(asked).toEqual([["a", 500, "first"]])
    expect(cache.get("a", 1_000)).toBe("second")
    expect(asked).toHaveLength(2)
    expect(cache.get("a", 1_500)).toBe(undefined)
  })

  it("is gone at once if it is not there any more, and stays until its time is over if the store fails", () => {
    const gone = make((cache) => Effect.sync(() => cache.delete("a")))
    gone.cache.get("a", 500)
    expect(gone.cache.get("a", 501)).toBe(undefined)
    const failed = make(() => Effect.fail("no connection"))
    failed.cache.get("a", 500)
    expect(failed.cache.get("a", 999)).toBe("first")
    expect(failed.cache.get("a", 1_000)).toBe(undefined)
    expect(failed.asked).toHaveLength(1)
  })

  it("is not used if the clock went back before it was read", () => {
    const { cache } = make()
    expect(cache.get("a", -1)).toBe(undefined)
  })
})
