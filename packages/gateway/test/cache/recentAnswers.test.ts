import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { RecentAnswersMemory } from "../../src/cache/RecentAnswers.ts"
import { type Keeper, Recording } from "../../src/cache/Recording.ts"

const answer = (bytes: number) => ({
  status: 200,
  contentType: undefined,
  headers: {},
  bytes: new Uint8Array(bytes)
})

const bounds = { total: 20_000, ofAccount: 8_000, millis: 60_000, awayMillis: 60_000 }

const memory = Effect.gen(function* () {
  return new RecentAnswersMemory(bounds, yield* Clock.Clock, yield* Effect.scope)
})

describe("answers that are held for repeats", () => {
  it.effect("are bounded for each account and in all; the oldest go first", () =>
    Effect.gen(function* () {
      const held = yield* memory
      const hold = (call: string, account: string, bytes: number) => {
        held.begin(call, account)
        held.hold(call, answer(bytes))
      }
      for (let i = 0; i < 100; i++) hold(`a${i}`, "a", 1_000)
      expect(held.bytes).toBeLessThanOrEqual(bounds.ofAccount)
      expect([held.has("a99"), held.has("a0")]).toEqual([true, false])
      for (const account of ["b", "c", "d"]) for (let i = 0; i < 10; i++) hold(`${account}${i}`, account, 1_000)
      expect(held.bytes).toBeLessThanOrEqual(bounds.total)
      expect([held.has("d9"), held.has("a99")]).toEqual([true, false])
      // One that is larger than all there is room for takes no room.
      hold("huge", "e", 1_000_000)
      expect([held.has("huge"), held.bytes <= bounds.total]).toEqual([false, true])
      for (let i = 0; i < 10_000; i++) held.begin(`f${i}`, `account ${i}`)
      expect(held.bytes).toBeLessThanOrEqual(bounds.total)
    })
  )

  it.effect("are forgotten after their time", () =>
    Effect.gen(function* () {
      const held = yield* memory
      held.begin("old", "a")
      held.hold("old", answer(1))
      yield* TestClock.adjust(bounds.millis)
      held.begin("new", "b")
      expect([held.has("old"), held.has("new")]).toEqual([false, true])
    })
  )

  it.effect("one who waits is told, also if the call is forgotten", () =>
    Effect.gen(function* () {
      const held = yield* memory
      held.begin("one", "a")
      held.begin("two", "a")
      const waits = yield* Effect.forkChild(Effect.all([held.ended("one"), held.ended("two")], { concurrency: 2 }))
      yield* Effect.yieldNow
      held.forget("one")
      held.hold("two", answer(1))
      yield* Fiber.join(waits)
    })
  )
})

const recorded = Effect.gen(function* () {
  const source = yield* Queue.unbounded<Uint8Array>()
  const own = yield* Scope.make()
  let isClosed = false
  yield* Scope.addFinalizer(
    own,
    Effect.sync(() => void (isClosed = true))
  )
  let bytes = 0
  let isLost = false
  const keeper: Keeper = { grew: (more) => void (bytes += more), isLost: () => void (isLost = true) }
  const recording = new Recording<never>(keeper, yield* Clock.Clock, yield* Effect.scope)
  let pulls = 0
  const body = Stream.fromEffectRepeat(Effect.suspend(() => (pulls++, Queue.take(source)))).pipe(
    Stream.takeWhile((chunk) => chunk.length > 0)
  )
  yield* recording.start(body, own)
  return {
    recording,
    push: (...chunks: ReadonlyArray<number>) =>
      Effect.forEach(chunks, (chunk) => Queue.offer(source, chunk === 0 ? new Uint8Array() : Uint8Array.of(chunk))),
    pulls: () => pulls,
    bytes: () => bytes,
    isClosed: () => isClosed,
    isLost: () => isLost
  }
})

const all = (recording: Recording<never>) =>
  Effect.map(Stream.runCollect(recording.read()), (chunks) => chunks.flatMap((chunk) => [...chunk]))

const first = (recording: Recording<never>, count: number) => Stream.runDrain(Stream.take(recording.read(), count))

describe("a stream that is recorded", () => {
  it.effect("is read again from its beginning, and by several at once", () =>
    Effect.gen(function* () {
      const { isClosed, push, recording } = yield* recorded
      const readers = yield* Effect.forkChild(Effect.all([all(recording), all(recording)], { concurrency: 2 }))
      yield* push(1, 2, 3)
      yield* Effect.yieldNow
      yield* push(4, 0)
      expect(yield* Fiber.join(readers)).toEqual([
        [1, 2, 3, 4],
        [1, 2, 3, 4]
      ])
      expect(yield* all(recording)).toEqual([1, 2, 3, 4])
      yield* TestClock.adjust(0)
      expect(isClosed()).toBe(true)
    })
  )

  it.effect("is not pulled before someone wants it, and not while nobody reads it", () =>
    Effect.gen(function* () {
      const { pulls, push, recording } = yield* recorded
      yield* push(1, 2, 3)
      yield* Effect.yieldNow
      expect(pulls()).toBe(0)
      yield* first(recording, 1)
      const before = pulls()
      yield* TestClock.adjust(1_000)
      expect(pulls()).toBe(before)
    })
  )

  it.effect("waits for a repeat if it was left soon, and is closed if none comes", () =>
    Effect.gen(function* () {
      const { isClosed, isLost, push, recording } = yield* recorded
      yield* push(1, 2)
      yield* first(recording, 1)
      yield* TestClock.adjust(2_000)
      expect([isClosed(), recording.isWhole]).toEqual([false, true])
      const again = yield* Effect.forkChild(all(recording))
      yield* Effect.yieldNow
      yield* TestClock.adjust(2_000)
      yield* push(3, 0)
      expect(yield* Fiber.join(again)).toEqual([1, 2, 3])

      const other = yield* recorded
      yield* other.push(1)
      yield* first(other.recording, 1)
      yield* TestClock.adjust(2_500)
      expect([other.isClosed(), other.isLost(), other.recording.isWhole]).toEqual([true, true, false])
      expect([isClosed(), isLost()]).toEqual([true, false])
    })
  )

  it.effect("is closed at once if it is left later, or by a reader who never came", () =>
    Effect.gen(function* () {
      const { isClosed, push, recording } = yield* recorded
      const reader = yield* Effect.forkChild(all(recording))
      yield* push(1)
      yield* TestClock.adjust(5_001)
      yield* Fiber.interrupt(reader)
      expect(isClosed()).toBe(true)

      const unread = yield* recorded
      yield* unread.recording.release
      expect(unread.isClosed()).toBe(false)
      yield* TestClock.adjust(2_500)
      expect(unread.isClosed()).toBe(true)
    })
  )

  it.effect("that is dropped goes on for those who read it", () =>
    Effect.gen(function* () {
      const { bytes, push, recording } = yield* recorded
      const readers = yield* Effect.forkChild(Effect.all([all(recording), all(recording)], { concurrency: 2 }))
      yield* push(1, 2)
      yield* Effect.yieldNow
      recording.drop()
      const held = bytes()
      yield* push(3, 4, 0)
      expect(yield* Fiber.join(readers)).toEqual([
        [1, 2, 3, 4],
        [1, 2, 3, 4]
      ])
      expect(recording.isWhole).toBe(false)
      expect(bytes()).toBe(held)
    })
  )

  it.effect("is closed with the gateway", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { isClosed, push, recording } = yield* Scope.provide(recorded, scope)
      yield* push(1)
      yield* first(recording, 1)
      yield* Scope.close(scope, Exit.void)
      expect(isClosed()).toBe(true)
    })
  )
})
