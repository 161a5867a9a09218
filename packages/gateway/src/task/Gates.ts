import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/** However long an upstream asks for. */
const longestPause = 3_600_000

interface Gate {
  readonly places: Semaphore.Semaphore
  pausedUntil: number
  failing: boolean
}

/** The way to each upstream: so many looks at a time, and none while it asks to be left alone. */
export class Gates {
  readonly #gates = new Map<string, Gate>()
  readonly #concurrency: number

  constructor(concurrency: number) {
    this.#concurrency = concurrency
  }

  /** `undefined`: the upstream is left alone. */
  through<A, E>(provider: string, look: Effect.Effect<A, E>): Effect.Effect<A | undefined, E> {
    const gate = this.#of(provider)
    return Semaphore.withPermit(
      gate.places,
      Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<A | undefined, E> =>
        now < gate.pausedUntil ? Effect.undefined : look
      )
    )
  }

  pause(provider: string, now: number, millis: number): void {
    const gate = this.#of(provider)
    gate.pausedUntil = Math.max(gate.pausedUntil, now + Math.min(millis, longestPause))
  }

  pausedFor(provider: string, now: number): number {
    return this.#of(provider).pausedUntil - now
  }

  /** The operator is told once, and again when it is over. */
  failed(provider: string, why: string): Effect.Effect<void> {
    const gate = this.#of(provider)
    if (gate.failing) return Effect.void
    gate.failing = true
    return Effect.logWarning("an upstream does not tell how its tasks are", { provider, why })
  }

  succeeded(provider: string): Effect.Effect<void> {
    const gate = this.#of(provider)
    if (!gate.failing) return Effect.void
    gate.failing = false
    return Effect.logInfo("an upstream tells again how its tasks are", { provider })
  }

  #of(provider: string): Gate {
    const known = this.#gates.get(provider)
    if (known !== undefined) return known
    const gate = { places: Semaphore.makeUnsafe(this.#concurrency), pausedUntil: 0, failing: false }
    this.#gates.set(provider, gate)
    return gate
  }
}
