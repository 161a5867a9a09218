import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Turns } from "../../src/internal/Turns.ts"
import { price } from "../../src/call/steps/06-price.ts"
import { callUpstream } from "../../src/call/steps/12-upstream.ts"
import { exchangeOf } from "../call/builtinExchange.ts"

it.live("long computations of many requests take one turn per tick of the event loop", () =>
  Effect.gen(function* () {
    let tick = 0
    let isRunning = true
    const count = () => {
      tick++
      if (isRunning) setImmediate(count)
    }
    setImmediate(count)
    const turns = new Turns()
    const taken: Array<number> = []
    const passes = Effect.gen(function* () {
      for (let pass = 0; pass < 5; pass++) {
        yield* turns.next
        taken.push(tick)
      }
    })
    yield* Effect.all(
      Array.from({ length: 8 }, () => passes),
      { concurrency: "unbounded" }
    )
    isRunning = false
    expect(taken).toHaveLength(40)
    expect(new Set(taken).size).toBe(40)
    // The turns begin again after a pause.
    yield* turns.next
  })
)

const bearer = { authorization: "Bearer any" }

class CountedTurns extends Turns {
  taken = 0
  override readonly next = Effect.sync(() => void this.taken++)
}

/** Counts the calls that reach it. */
const upstreams = () => {
  let calls = 0
  return { calls: () => calls, call: () => Effect.suspend(() => (calls++, Effect.die("no upstream"))) }
}

it.effect.each([
  ["a large body takes a turn for each pass over it", 300_000, [8, 9, 10]],
  ["a small body takes none", 100_000, [0, 0, 0]]
] as const)("%s", ([, size, expected]) =>
  Effect.gen(function* () {
    const turns = new CountedTurns()
    const taken: Array<number> = []
    const body = JSON.stringify({ query: "q", documents: ["d".repeat(size)] })
    const decoded = yield* exchangeOf("/v1/rerank", { method: "POST", body, headers: bearer }, turns)
    taken.push(turns.taken)
    const clock = yield* Effect.clockWith(Effect.succeed)
    const priced = yield* price({ of: ({ price }) => price }, turns, clock, { fallbackModels: () => [] })(decoded)
    taken.push(turns.taken)
    const { call, calls } = upstreams()
    const user = { discardSession: () => Effect.void }
    yield* Effect.exit(callUpstream({ call }, user, turns)(priced))
    taken.push(turns.taken)
    expect([taken, calls()]).toEqual([expected, 1])
  })
)
