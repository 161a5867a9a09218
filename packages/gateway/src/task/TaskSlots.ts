import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { refuse, type Refused } from "../Refused.ts"

const retryMillis = 5_000

const limitReached = (limit: number): Refused =>
  refuse("rate_limit_exceeded", `The key's limit of ${limit} concurrent tasks is reached; wait until one ends.`, {
    retryAfter: retryMillis
  })

/**
 * Limits the concurrent tasks of each owner. Counts running tasks from the store, and creates in flight from memory. A create
 * stays in flight until its task is stored, so that no task is missed between the two.
 */
export class TaskSlots {
  readonly #inFlight = new Map<string, Set<string>>()
  readonly #runningCalls: (owner: string) => Effect.Effect<ReadonlyArray<string>, SqlError>

  constructor(runningCalls: (owner: string) => Effect.Effect<ReadonlyArray<string>, SqlError>) {
    this.#runningCalls = runningCalls
  }

  acquire(owner: string, call: string, limit: number): Effect.Effect<void, Refused | SqlError> {
    return Effect.suspend(() => {
      // A create may be stored and released during the read, and then be missing from what was read.
      const before = [...(this.#inFlight.get(owner) ?? [])]
      return Effect.flatMap(this.#runningCalls(owner), (running) => {
        const inFlight = this.#inFlight.get(owner) ?? new Set()
        if (new Set([...running, ...before, ...inFlight]).size >= limit) return Effect.fail(limitReached(limit))
        this.#inFlight.set(owner, inFlight.add(call))
        return Effect.void
      })
    })
  }

  release(owner: string, call: string): void {
    const inFlight = this.#inFlight.get(owner)
    inFlight?.delete(call)
    if (inFlight?.size === 0) this.#inFlight.delete(owner)
  }
}
