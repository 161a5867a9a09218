import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { type Lasting, Renewed } from "../../../src/upstream/cloud/Renewed.ts"

/** A source of values that last 100 seconds and are renewed after 80. `gate` holds it up. */
const source = () => {
  const state = { made: 0, fails: false, gate: undefined as Deferred.Deferred<void> | undefined }
  const make: Effect.Effect<Lasting<{ readonly n: number }>, string> = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const n = ++state.made
    if (state.gate !== undefined) yield* Deferred.await(state.gate)
    if (state.fails) return yield* Effect.fail("away")
    return { value: { n }, renewAt: now + 80_000, endsAt: now + 100_000 }
  })
  return { state, renewed: new Renewed(make) }
}

const later = TestClock.adjust
const settle = Effect.repeat(Effect.yieldNow, { times: 5 })

describe("a credential that ends", () => {
  it.effect("is asked for once by many calls at a time", () =>
    Effect.gen(function* () {
      const { renewed, state } = source()
      const all = yield* Effect.all(
        Array.from({ length: 50 }, () => renewed.get),
        { concurrency: "unbounded" }
      )
      expect([state.made, new Set(all).size]).toEqual([1, 1])
      yield* later("79 seconds")
      yield* renewed.get
      expect(state.made).toBe(1)
    })
  )

  it.effect("is renewed before its end, while calls go on with it", () =>
    Effect.gen(function* () {
      const { renewed, state } = source()
      yield* renewed.get
      yield* later("90 seconds")
      state.gate = Deferred.makeUnsafe()
      const during = yield* Effect.all([renewed.get, renewed.get])
      yield* settle
      expect([during.map(({ n }) => n), state.made]).toEqual([[1, 1], 2])
      yield* Deferred.succeed(state.gate, undefined)
      yield* settle
      yield* settle
      expect((yield* renewed.get).n).toBe(2)
    })
  )

  it.effect("is not used after its end, and a renewal that fails does no harm before", () =>
    Effect.gen(function* () {
      const { renewed, state } = source()
      yield* renewed.get
      state.fails = true
      yield* later("90 seconds")
      expect((yield* renewed.get).n).toBe(1)
      yield* settle
      yield* later("9 seconds")
      expect((yield* renewed.get).n).toBe(1)
      yield* settle
      yield* later("2 seconds")
      expect(yield* Effect.flip(renewed.get)).toBe("away")
    })
  )

  it.effect("is asked for again at most once a second while that fails", () =>
    Effect.gen(function* () {
      const { renewed, state } = source()
      state.fails = true
      for (let i = 0; i < 20; i++) expect(yield* Effect.flip(renewed.get)).toBe("away")
      expect(state.made).toBe(1)
      yield* later("1 second")
      state.fails = false
      expect((yield* renewed.get).n).toBe(2)
    })
  )

  it.effect("is renewed once after a refusal, for all calls that it was refused to", () =>
    Effect.gen(function* () {
      const { renewed, state } = source()
      const first = yield* renewed.get
      const next = yield* Effect.all(
        Array.from({ length: 20 }, () => renewed.after(first)),
        { concurrency: "unbounded" }
      )
      expect([state.made, new Set(next.map((value) => value?.n))]).toEqual([2, new Set([2])])
      // Who comes late with the old one gets the new one.
      expect((yield* renewed.after(first))?.n).toBe(2)
      // The new one is refused at once too: that is no reason to ask without end.
      const second = yield* renewed.get
      expect(yield* renewed.after(second)).toBeUndefined()
      expect(state.made).toBe(2)
      yield* later("10 seconds")
      expect((yield* renewed.after(second))?.n).toBe(3)
    })
  )

  it.effect("comes for the others if the call that asked has left", () =>
    Effect.gen(function* () {
      const { renewed, state } = source()
      state.gate = Deferred.makeUnsafe()
      const leaves = yield* Effect.forkChild(renewed.get)
      yield* settle
      const stays = yield* Effect.forkChild(renewed.get)
      yield* settle
      yield* Fiber.interrupt(leaves)
      yield* Deferred.succeed(state.gate, undefined)
      expect([(yield* Fiber.join(stays)).n, state.made]).toEqual([1, 1])
    })
  )

  it.effect("is asked for again if the clock was set back during a pause", () =>
    Effect.gen(function* () {
      const { renewed, state } = source()
      state.fails = true
      yield* later("1 hour")
      yield* Effect.flip(renewed.get)
      yield* TestClock.setTime(0)
      state.fails = false
      expect((yield* renewed.get).n).toBe(2)
    })
  )
})
