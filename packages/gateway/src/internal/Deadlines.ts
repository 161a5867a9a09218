import { Clock, currentTimeMillis } from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

interface Entry {
  readonly at: number
  readonly expire: () => void
}

/**
 * A time limit for many calls at once. `Effect.timeout` races two fibers and a timer for each, which costs a third of a
 * proxied call; here one fiber sleeps until the oldest call is due. All calls have the same limit, so they are due in
 * the order they came.
 */
export class Deadlines {
  readonly #millis: number
  readonly #context: Context.Context<never>
  readonly #entries = new Set<Entry>()
  #watching = false

  constructor(millis: number, context: Context.Context<never>) {
    this.#millis = millis
    this.#context = context
  }

  /** Runs the call in a fiber of its own, which is interrupted when the time is up or the caller leaves. */
  within<A, E>(call: Effect.Effect<A, E>, timedOut: () => E): Effect.Effect<A, E> {
    return Effect.withFiber((parent) => {
      const now = parent.getRef(Clock).currentTimeMillisUnsafe()
      return Effect.callback<A, E>((resume) => {
        const fiber = Effect.runForkWith(parent.context)(call)
        const entry: Entry = {
          at: now + this.#millis,
          expire: () => {
            resume(Effect.fail(timedOut()))
            fiber.interruptUnsafe()
          }
        }
        this.#entries.add(entry)
        if (!this.#watching) {
          this.#watching = true
          Effect.runForkWith(this.#context)(this.#watch)
        }
        fiber.addObserver((exit) => {
          this.#entries.delete(entry)
          resume(exit)
        })
        return Effect.andThen(
          Effect.sync(() => this.#entries.delete(entry)),
          Fiber.interrupt(fiber)
        )
      })
    })
  }

  readonly #watch: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    for (;;) {
      const [oldest] = this.#entries
      if (oldest === undefined) break
      const now = yield* currentTimeMillis
      if (oldest.at <= now) {
        this.#entries.delete(oldest)
        oldest.expire()
      } else {
        yield* Effect.sleep(oldest.at - now)
      }
    }
    this.#watching = false
  })
}
