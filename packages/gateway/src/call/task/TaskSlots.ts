import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"

const retryMillis = 5_000

export const limitReached = (limit: number): Refused =>
  refuse("rate_limit_exceeded", `The key's limit of ${limit} concurrent tasks is reached; wait until one ends.`, {
    retryAfter: retryMillis,
    limit: "tasks"
  })

/** Limits the concurrent tasks of each owner. */
export interface Slots {
  /** How many tasks of the owner run, or are being created. */
  readonly running: (owner: string) => Effect.Effect<number, SqlError>
  /** Takes a slot for a call that creates a task, or refuses it with 429. */
  readonly acquire: (owner: string, call: string, limit: number) => Effect.Effect<void, Refused | SqlError>
  /** The task is stored, or there is none. */
  readonly release: (owner: string, call: string) => Effect.Effect<void>
}

/**
 * Slots for a store that one gateway uses. Counts running tasks from the store, and creates in flight from memory. A create
 * stays in flight until its task is stored, so that no task is missed between the two.
 */
export class TaskSlots implements Slots {
  readonly #inFlight = new Map<string, Set<string>>()
  readonly #runningCalls: (owner: string) => Effect.Effect<ReadonlyArray<string>, SqlError>

  constructor(runningCalls: (owner: string) => Effect.Effect<ReadonlyArray<string>, SqlError>) {
    this.#runningCalls = runningCalls
  }

  running(owner: string): Effect.Effect<number, SqlError> {
    return this.#count(owner, Effect.succeed)
  }

  acquire(owner: string, call: string, limit: number): Effect.Effect<void, Refused | SqlError> {
    return this.#count(owner, (running) => {
      if (running >= limit) return Effect.fail(limitReached(limit))
      const inFlight = this.#inFlight.get(owner) ?? new Set()
      this.#inFlight.set(owner, inFlight.add(call))
      return Effect.void
    })
  }

  /** `then` decides in the same step as the count. */
  #count<A, E>(owner: string, then: (running: number) => Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> {
    return Effect.suspend(() => {
      // A create may be stored and released during the read, and then be missing from what was read.
      const before = [...(this.#inFlight.get(owner) ?? [])]
      return Effect.flatMap(this.#runningCalls(owner), (running) =>
        then(new Set([...running, ...before, ...(this.#inFlight.get(owner) ?? [])]).size)
      )
    })
  }

  release(owner: string, call: string): Effect.Effect<void> {
    return Effect.sync(() => {
      const inFlight = this.#inFlight.get(owner)
      inFlight?.delete(call)
      if (inFlight?.size === 0) this.#inFlight.delete(owner)
    })
  }
}
