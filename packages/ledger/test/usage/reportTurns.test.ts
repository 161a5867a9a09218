import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { makeTurns } from "../../src/usage/ReportTurns.ts"

describe("reports", () => {
  it.effect.each([
    [true, 600],
    [false, 300]
  ] as const)("leave most of the time to calls, however many are asked for: shared %s", ([isShared, most]) =>
    Effect.gen(function* () {
      const turns = makeTurns(isShared)
      let busy = 0
      const report = Effect.ensuring(
        Effect.sleep("10 millis"),
        Effect.sync(() => (busy += 10))
      )
      const asked = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 1_000 }, () => turns.run(report)),
          { concurrency: "unbounded", discard: true }
        )
      )
      yield* TestClock.adjust("1 second")
      expect(busy).toBeGreaterThan(100)
      expect(busy).toBeLessThanOrEqual(most)
      yield* Fiber.interrupt(asked)
    })
  )

  it.effect("do not wait if none was before, and the next is not lost if one fails or is left", () =>
    Effect.gen(function* () {
      const turns = makeTurns(false)
      expect(yield* turns.run(Effect.succeed(1))).toBe(1)
      expect(yield* Effect.flip(turns.run(Effect.fail("no")))).toBe("no")
      for (let i = 0; i < 5; i++) yield* Fiber.interrupt(yield* Effect.forkChild(turns.run(Effect.never)))
      expect(yield* turns.run(Effect.succeed(2))).toBe(2)
    })
  )
})
