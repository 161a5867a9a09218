import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scheduler from "effect/Scheduler"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as TestClock from "effect/testing/TestClock"

/** A clock for programs without Effect. Time passes only when the test advances it. */
export interface VirtualClock {
  /** Milliseconds since the test started. */
  readonly now: () => number
  /** Advances the time; each wait that ends within it resumes at its own moment. */
  readonly advance: (duration: Duration.Input) => Promise<void>
  /** From now on, time jumps to the end of the next wait whenever the program is idle. */
  readonly auto: () => void
  /** For waits of the program under test. */
  readonly sleep: (duration: Duration.Input) => Promise<void>
}

/** The program is idle after this many event loop iterations without a read of the clock. */
const idleIterations = 10

interface Timer {
  readonly at: number
}

/** The clock, and a layer that makes a program use it. */
export const make = (): { readonly clock: VirtualClock; readonly layer: Layer.Layer<never> } => {
  const context = Layer.buildWithScope(TestClock.layer(), Scope.makeUnsafe()).pipe(
    // The clock keeps the scheduler it is built with, and `runSync`'s scheduler runs before promises.
    Effect.provideService(Scheduler.Scheduler, new Scheduler.MixedScheduler()),
    Effect.runSync
  )
  const base = Context.get(context, Clock.Clock) as TestClock.TestClock
  const timers = new Set<Timer>()
  const moveLock = Semaphore.makeUnsafe(1)
  let reads = 0
  let isAuto = false
  let isJumping = false

  const next = (): number => Math.min(...[...timers].map(({ at }) => at))
  const untilIdle = Effect.gen(function* () {
    for (let quiet = 0, seen = reads; quiet < idleIterations; quiet = seen === reads ? quiet + 1 : 0) {
      seen = reads
      yield* Effect.yieldNow
    }
  })
  const moveTo = (end: number) =>
    Effect.gen(function* () {
      for (yield* untilIdle; next() <= end; yield* untilIdle) yield* base.setTime(next())
      yield* base.setTime(end)
      yield* untilIdle
    })
  const jump = moveLock.withPermits(1)(
    Effect.gen(function* () {
      yield* untilIdle
      if (next() < Infinity) yield* base.setTime(next())
    })
  )
  const jumping = Effect.whileLoop({ while: () => next() < Infinity, body: () => jump, step: () => {} })
  const run = <A>(effect: Effect.Effect<A>): Promise<A> =>
    Effect.runPromise(Effect.provideContext(effect, clockContext))

  const keepJumping = () => {
    if (!isAuto || isJumping) return
    isJumping = true
    void run(jumping).finally(() => {
      isJumping = false
      if (next() < Infinity) keepJumping()
    })
  }

  const sleep = (duration: Duration.Duration): Effect.Effect<void> =>
    Effect.suspend(() => {
      const timer = { at: base.currentTimeMillisUnsafe() + Duration.toMillis(duration) }
      timers.add(timer)
      reads++
      keepJumping()
      return Effect.ensuring(
        base.sleep(duration),
        Effect.sync(() => {
          timers.delete(timer)
          reads++
        })
      )
    })
  const now = () => {
    reads++
    return base.currentTimeMillisUnsafe()
  }
  const counting: TestClock.TestClock = {
    ...base,
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    sleep
  }
  const clockContext = Context.add(context, Clock.Clock, counting)
  return {
    layer: Layer.succeedContext(clockContext),
    clock: {
      now: base.currentTimeMillisUnsafe,
      advance: (duration) =>
        run(
          moveLock.withPermits(1)(
            Effect.suspend(() => moveTo(base.currentTimeMillisUnsafe() + Duration.toMillis(duration)))
          )
        ),
      auto: () => {
        isAuto = true
        keepJumping()
      },
      sleep: (duration) => run(Effect.sleep(duration))
    }
  }
}
