import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scheduler from "effect/Scheduler"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as TestClock from "effect/testing/TestClock"

/** Time for programs without Effect. It stands still until the test moves it. */
export interface VirtualClock {
  /** Milliseconds since the test began. */
  readonly now: () => number
  /** Lets so much time go by; whoever waits for a moment in it goes on, each at its own. */
  readonly advance: (duration: Duration.Input) => Promise<void>
  /** From now on time jumps to the next moment that is waited for, whenever all wait. */
  readonly auto: () => void
  /** For the program under test, where it waits by itself. */
  readonly sleep: (duration: Duration.Input) => Promise<void>
}

/** Turns of the event loop without a look at the clock after which all are said to wait. */
const quietTurns = 10

interface Timer {
  readonly at: number
}

/** The clock, and the layer which puts a program on it. */
export const make = (): { readonly clock: VirtualClock; readonly layer: Layer.Layer<never> } => {
  const context = Layer.buildWithScope(TestClock.layer(), Scope.makeUnsafe()).pipe(
    // It hands on the scheduler that it is made on, and the one of `runSync` runs ahead of promises.
    Effect.provideService(Scheduler.Scheduler, new Scheduler.MixedScheduler()),
    Effect.runSync
  )
  const base = Context.get(context, Clock.Clock) as TestClock.TestClock
  const timers = new Set<Timer>()
  const moving = Semaphore.makeUnsafe(1)
  let looks = 0
  let isAuto = false
  let isJumping = false

  const next = (): number => Math.min(...[...timers].map(({ at }) => at))
  const settled = Effect.gen(function* () {
    for (let quiet = 0, seen = looks; quiet < quietTurns; quiet = seen === looks ? quiet + 1 : 0) {
      seen = looks
      yield* Effect.yieldNow
    }
  })
  const moveTo = (end: number) =>
    Effect.gen(function* () {
      for (yield* settled; next() <= end; yield* settled) yield* base.setTime(next())
      yield* base.setTime(end)
      yield* settled
    })
  const jump = moving.withPermits(1)(
    Effect.gen(function* () {
      yield* settled
      if (next() < Infinity) yield* base.setTime(next())
    })
  )
  const jumping = Effect.whileLoop({ while: () => next() < Infinity, body: () => jump, step: () => {} })
  const run = <A>(effect: Effect.Effect<A>): Promise<A> => Effect.runPromise(Effect.provideContext(effect, own))

  const keepJumping = () => {
    if (!isAuto || isJumping) return
    isJumping = true
    void run(jumping).finally(() => {
      isJumping = false
      if (next() < Infinity) keepJumping()
    })
  }

  const waited = (duration: Duration.Duration): Effect.Effect<void> =>
    Effect.suspend(() => {
      const timer = { at: base.currentTimeMillisUnsafe() + Duration.toMillis(duration) }
      timers.add(timer)
      looks++
      keepJumping()
      return Effect.ensuring(
        base.sleep(duration),
        Effect.sync(() => {
          timers.delete(timer)
          looks++
        })
      )
    })
  const watched: TestClock.TestClock = {
    ...base,
    currentTimeMillis: Effect.sync(() => {
      looks++
      return base.currentTimeMillisUnsafe()
    }),
    sleep: waited
  }
  const own = Context.add(context, Clock.Clock, watched)
  return {
    layer: Layer.succeedContext(own),
    clock: {
      now: base.currentTimeMillisUnsafe,
      advance: (duration) =>
        run(
          moving.withPermits(1)(
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
