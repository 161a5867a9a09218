import * as Effect from "effect/Effect"

/** How long what was read is used. */
const lifeMillis = 1_000
const mostEntries = 10_000

interface Entry<A> {
  readonly value: A
  readonly at: number
  isReadAgain: boolean
}

/**
 * What was read from the store within the last second. What is still used after half of that is read again in the background,
 * once: however many calls are under way, none waits for it.
 */
export class TimedCache<A> {
  readonly #entries = new Map<string, Entry<A>>()
  readonly #run: (effect: Effect.Effect<void>) => unknown
  readonly #readAgain: (name: string, now: number, value: A) => Effect.Effect<unknown, unknown>

  /** `readAgain` sets what it reads. If it fails, the earlier value is used until its time is over. */
  constructor(
    run: (effect: Effect.Effect<void>) => unknown,
    readAgain: (name: string, now: number, value: A) => Effect.Effect<unknown, unknown>
  ) {
    this.#run = run
    this.#readAgain = readAgain
  }

  get(name: string, now: number): A | undefined {
    const entry = this.#entries.get(name)
    if (entry === undefined) return undefined
    const age = now - entry.at
    // If the clock went back, its time would come again.
    if (age < 0 || age >= lifeMillis) return undefined
    if (age >= lifeMillis / 2 && !entry.isReadAgain) {
      entry.isReadAgain = true
      this.#run(Effect.ignore(this.#readAgain(name, now, entry.value)))
    }
    return entry.value
  }

  /** `now`: when reading it began. */
  set(name: string, value: A, now: number): void {
    if (this.#entries.size >= mostEntries) this.#entries.clear()
    this.#entries.set(name, { value, at: now, isReadAgain: false })
  }

  delete(name: string): void {
    this.#entries.delete(name)
  }

  clear(): void {
    this.#entries.clear()
  }
}
