import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Turns } from "../src/internal/Turns.ts"

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
