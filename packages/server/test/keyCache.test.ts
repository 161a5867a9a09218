import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { type IssuerKeys, KeyCache, minIntervalMillis } from "../src/issuer/IssuerKeys.ts"

const keys = {} as IssuerKeys

it.effect("callers who leave do not make the gateway ask the issuer more often", () =>
  Effect.gen(function* () {
    let reads = 0
    const cache = new KeyCache(
      Effect.andThen(
        Effect.sync(() => reads++),
        Effect.never
      )
    )
    for (let i = 0; i < 10; i++) {
      const caller = yield* Effect.forkChild(Effect.exit(cache.current), { startImmediately: true })
      yield* Fiber.interrupt(caller)
    }
    expect(reads).toBe(1)
    yield* TestClock.adjust(minIntervalMillis)
    yield* Effect.forkChild(Effect.exit(cache.current), { startImmediately: true })
    expect(reads).toBe(2)
  })
)

it.effect("keys are read again if the clock went back", () =>
  Effect.gen(function* () {
    let reads = 0
    const cache = new KeyCache(Effect.sync(() => (reads++, keys)))
    yield* TestClock.setTime(10_000_000)
    yield* cache.current
    yield* cache.current
    expect(reads).toBe(1)
    yield* TestClock.setTime(1_000_000)
    yield* cache.current
    expect(reads).toBe(2)
  })
)
