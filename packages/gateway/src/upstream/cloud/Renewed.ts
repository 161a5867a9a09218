import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { singleFlight } from "../../internal/once.ts"

/** A value with an end. Unix milliseconds. */
export interface Lasting<A> {
  readonly value: A
  /** From then on it is renewed, while it is still used. */
  readonly renewAt: number
  /** From then on it is not used any more. */
  readonly endsAt: number
}

/** After a failure nothing is tried for so long. */
const pauseMillis = 1_000
/** A value that was refused is renewed no more often than this. */
const refusedMillis = 10_000

const isWithin = (since: number, millis: number, now: number): boolean => now >= since && now - since < millis

/** Shares a value that ends between all calls. It is renewed before its end, by one request at a time. */
export class Renewed<A, E, R> {
  readonly #make: Effect.Effect<Lasting<A>, E, R>
  readonly #scope = Scope.makeUnsafe()
  readonly #once = singleFlight<A, E>(this.#scope)
  #current: Lasting<A> | undefined
  #isRenewing = false
  #failed: Exit.Exit<never, E> | undefined
  #failedAt = -Infinity
  #refusedAt = -Infinity

  /** `make` finds out the value, and may be run many times. */
  constructor(make: Effect.Effect<Lasting<A>, E, R>) {
    this.#make = make
  }

  readonly get: Effect.Effect<A, E, R> = Effect.clockWith((clock): Effect.Effect<A, E, R> => {
    const now = clock.currentTimeMillisUnsafe()
    const current = this.#current
    if (current !== undefined && now < current.renewAt) return Effect.succeed(current.value)
    const isPaused = isWithin(this.#failedAt, pauseMillis, now)
    if (current !== undefined && now < current.endsAt) {
      const renewing = isPaused || this.#isRenewing ? Effect.void : Effect.forkIn(Effect.exit(this.#renew), this.#scope)
      return Effect.as(renewing, current.value)
    }
    return isPaused && this.#failed !== undefined ? this.#failed : this.#renew
  })

  /** The value after one that was refused. `undefined`: there is no other. */
  after(used: A): Effect.Effect<A | undefined, never, R> {
    return Effect.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      const isCurrent = this.#current?.value === used
      if (isCurrent && !this.#isRenewing) {
        if (isWithin(this.#refusedAt, refusedMillis, now)) return Effect.undefined
        this.#refusedAt = now
      }
      const next = Effect.orElseSucceed(isCurrent ? this.#renew : this.get, () => undefined)
      return Effect.map(next, (value) => (value === used ? undefined : value))
    })
  }

  readonly #renew: Effect.Effect<A, E, R> = Effect.contextWith((context: Context.Context<R>) => {
    this.#isRenewing = true
    const renewed = Effect.matchEffect(this.#make, {
      onSuccess: (lasting) => {
        this.#current = lasting
        this.#failed = undefined
        return Effect.succeed(lasting.value)
      },
      onFailure: (error) =>
        Effect.clockWith((clock) => {
          this.#failedAt = clock.currentTimeMillisUnsafe()
          this.#failed = Exit.fail(error)
          return this.#failed
        })
    })
    const run = Effect.ensuring(
      renewed,
      Effect.sync(() => void (this.#isRenewing = false))
    )
    return this.#once("", Effect.provideContext(run, context))
  })
}
