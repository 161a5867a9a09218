import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import * as Semaphore from "effect/Semaphore"
import type { SqlClient } from "effect/sql/SqlClient"
import { number, type Row } from "@tollgate/ledger/store/rows"

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

// A slot counts while its call is open. So one that nobody releases, since its gateway died, ends with its call.
const count = `
  SELECT count(*) AS running FROM (
    SELECT call FROM tasks WHERE owner = $1 AND ended_at IS NULL
    UNION SELECT s.call FROM task_slots s JOIN calls c ON c.id = s.call WHERE s.owner = $1 AND c.state = 'open'
  ) taken`

/** Slots asked for at a time: each may wait for another gateway, and calls need the other connections of the store. */
const atOnce = 2

/** Slots in PostgreSQL: those that several gateways ask for at once are given one after the other. */
export const sharedSlots = (sql: SqlClient): Slots => {
  const turn = Semaphore.makeUnsafe(atOnce)

  const running = (owner: string): Effect.Effect<number, SqlError> =>
    Effect.map(sql.unsafe<Row>(count, [owner]), ([row]) => (row === undefined ? 0 : number(row, "running")))

  const acquire = Effect.fnUntraced(function* (
    owner: string,
    call: string,
    limit: number
  ): Effect.fn.Return<void, Refused | SqlError> {
    yield* sql.unsafe("SELECT pg_advisory_xact_lock(hashtextextended($1, 7405318264191))", [owner])
    if ((yield* running(owner)) >= limit) return yield* limitReached(limit)
    yield* sql.unsafe(
      "DELETE FROM task_slots s USING calls c WHERE s.owner = $1 AND c.id = s.call AND c.state <> 'open'",
      [owner]
    )
    yield* sql.unsafe("INSERT INTO task_slots (call, owner) VALUES ($1, $2) ON CONFLICT DO NOTHING", [call, owner])
  })

  return {
    running,
    acquire: (owner, call, limit) => turn.withPermit(sql.withTransaction(acquire(owner, call, limit))),
    // Its call is not open any more. The next one that is acquired deletes the row.
    release: () => Effect.void
  }
}
