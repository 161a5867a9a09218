import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/** Caps what an upstream asks for with `Retry-After`. */
const maxPauseMillis = 3_600_000

interface ProviderState {
  readonly permits: Semaphore.Semaphore
  pausedUntil: number
  isFailing: boolean
}

/** Limits the polls in flight to each upstream, and pauses them while the upstream is rate limiting. */
export class ProviderThrottle {
  readonly #states = new Map<string, ProviderState>()
  readonly #concurrency: number

  constructor(concurrency: number) {
    this.#concurrency = concurrency
  }

  /** `undefined`: not run, because the upstream is paused. */
  run<A, E>(provider: string, poll: Effect.Effect<A, E>): Effect.Effect<A | undefined, E> {
    const state = this.#stateOf(provider)
    return Semaphore.withPermit(
      state.permits,
      Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<A | undefined, E> =>
        now < state.pausedUntil ? Effect.undefined : poll
      )
    )
  }

  pause(provider: string, now: number, millis: number): void {
    const state = this.#stateOf(provider)
    state.pausedUntil = Math.max(state.pausedUntil, now + Math.min(millis, maxPauseMillis))
  }

  /** Milliseconds until the pause ends; not positive if there is none. */
  pauseLeft(provider: string, now: number): number {
    return this.#stateOf(provider).pausedUntil - now
  }

  /** Logs the first failure of a series, not each one. */
  failed(provider: string, reason: string): Effect.Effect<void> {
    const state = this.#stateOf(provider)
    if (state.isFailing) return Effect.void
    state.isFailing = true
    return Effect.logWarning("polling upstream task status failed", { provider, reason })
  }

  succeeded(provider: string): Effect.Effect<void> {
    const state = this.#stateOf(provider)
    if (!state.isFailing) return Effect.void
    state.isFailing = false
    return Effect.logInfo("polling upstream task status recovered", { provider })
  }

  #stateOf(provider: string): ProviderState {
    const known = this.#states.get(provider)
    if (known !== undefined) return known
    const state = { permits: Semaphore.makeUnsafe(this.#concurrency), pausedUntil: 0, isFailing: false }
    this.#states.set(provider, state)
    return state
  }
}
