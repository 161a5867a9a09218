import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { makeSearch } from "@tollgate/gateway/endpoints/docs/Docs"
import { siteOf } from "@tollgate/gateway/endpoints/docs/Site"
import * as ToolCatalogue from "@tollgate/tools/ToolCatalogue"
import { oncePer } from "@tollgate/gateway/endpoint"
import { catalogueOf, contractPrices as prices } from "@tollgate/testing/tools/catalogues"

/** How often the event loop turns until an effect ends. */
const turnsDuring = Effect.fnUntraced(function* (effect: Effect.Effect<unknown>) {
  let turns = 0
  let isRunning = true
  const count = () => {
    turns++
    if (isRunning) setImmediate(count)
  }
  setImmediate(count)
  yield* effect
  isRunning = false
  return turns
})

describe("other requests are answered while the words of many operations are read", () => {
  const catalogue = catalogueOf(400)
  const site = siteOf({ catalogue, models: [], prices }, { baseUrl: "http://localhost", hasGrants: false })
  /** The operations are read 20 in a turn, then counted and weighed. */
  const least = Math.floor(catalogue.bound.length / 20)

  it.live.each([
    ["for the agents' search", ToolCatalogue.make(catalogue, prices)],
    ["for the search of the reference", makeSearch(site)]
  ] as const)("%s", ([, index]) =>
    Effect.gen(function* () {
      expect(least).toBeGreaterThan(10)
      expect(yield* turnsDuring(index)).toBeGreaterThanOrEqual(least)
    })
  )
})

describe("what takes long is made once for each definition", () => {
  const slow = () => {
    const made: Array<object> = []
    const gate = Deferred.makeUnsafe<void>()
    const get = oncePer((key: object) =>
      Effect.flatMap(
        Effect.sync(() => made.push(key)),
        (count) => Effect.as(Deferred.await(gate), count)
      )
    )
    return { made, get, open: Deferred.succeed(gate, undefined) }
  }

  it.effect("for all who ask meanwhile, even if the first of them leaves", () =>
    Effect.gen(function* () {
      const { get, made, open } = slow()
      const key = {}
      const first = yield* Effect.forkChild(get(key), { startImmediately: true })
      const second = yield* Effect.forkChild(get(key), { startImmediately: true })
      yield* Fiber.interrupt(first)
      yield* open
      expect(yield* Fiber.join(second)).toBe(1)
      expect(yield* get(key)).toBe(1)
      expect(made).toEqual([key])
    })
  )

  it.effect("and again after all have left, or for another definition", () =>
    Effect.gen(function* () {
      const { get, made, open } = slow()
      const key = {}
      yield* Fiber.interrupt(yield* Effect.forkChild(get(key), { startImmediately: true }))
      yield* open
      expect([yield* get(key), yield* get(key), yield* get({})]).toEqual([2, 2, 3])
      expect(made).toHaveLength(3)
    })
  )
})
