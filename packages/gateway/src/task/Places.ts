import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { refuse, type Refused } from "../Refused.ts"

const retryMillis = 5_000

const full = (most: number): Refused =>
  refuse("rate_limit_exceeded", `The key's limit of ${most} tasks at once is reached.`, { retryAfter: retryMillis })

/**
 * How many tasks run at once for each purse: those in the store, and those being asked for, which are known here alone.
 * One that is being asked for counts from here until it is in the store, so that none slips through between the two.
 */
export class Places {
  readonly #asked = new Map<string, Set<string>>()
  readonly #running: (purse: string) => Effect.Effect<ReadonlyArray<string>, SqlError>

  constructor(running: (purse: string) => Effect.Effect<ReadonlyArray<string>, SqlError>) {
    this.#running = running
  }

  take(purse: string, call: string, most: number): Effect.Effect<void, Refused | SqlError> {
    return Effect.suspend(() => {
      // Those that are recorded while the store is read, and are missing from what was read.
      const before = [...(this.#asked.get(purse) ?? [])]
      return Effect.flatMap(this.#running(purse), (running) => {
        const asked = this.#asked.get(purse) ?? new Set()
        if (new Set([...running, ...before, ...asked]).size >= most) return Effect.fail(full(most))
        this.#asked.set(purse, asked.add(call))
        return Effect.void
      })
    })
  }

  give(purse: string, call: string): void {
    const asked = this.#asked.get(purse)
    asked?.delete(call)
    if (asked?.size === 0) this.#asked.delete(purse)
  }
}
