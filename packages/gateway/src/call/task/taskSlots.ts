import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import * as Semaphore from "effect/Semaphore"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Rows from "@tollgate/ledger/store/rows"

const retryMillis = 5_000

const limitReached = (limit: number): Refused =>
  refuse("rate_limit_exceeded", `The key's limit of ${limit} concurrent tasks is reached; wait until one ends.`, {
    retryAfter: retryMillis,
    limit: "tasks"
  })

/** Slots asked for at a time: each may wait for another gateway, and calls need the other connections of the store. */
const atOnce = 2

/**
 * Limits the concurrent tasks of each owner. Slots that several gateways ask for at once are given one after the other. A slot
 * counts while its call is open, so one whose gateway died ends with its call.
 */
export const taskSlots = (sql: SqlClient) => {
  const { lockName, query } = Rows.make(sql)
  const turn = Semaphore.makeUnsafe(atOnce)

  const running = (owner: string): Effect.Effect<number, SqlError> =>
    Effect.map(
      query`SELECT COUNT(*) AS running FROM (SELECT call FROM tasks WHERE owner = ${owner} AND ended_at IS NULL
        UNION SELECT s.call FROM task_slots s JOIN calls c ON c.id = s.call
        WHERE s.owner = ${owner} AND c.state = 'open') AS taken`,
      ([row]) => (row === undefined ? 0 : Rows.number(row, "running"))
    )

  const acquire = Effect.fnUntraced(function* (owner: string, call: string, limit: number) {
    yield* lockName(`task_slots ${owner}`)
    if ((yield* running(owner)) >= limit) return yield* limitReached(limit)
    yield* query`DELETE FROM task_slots WHERE owner = ${owner}
      AND EXISTS (SELECT 1 FROM calls c WHERE c.id = task_slots.call AND c.state <> 'open')`
    yield* query`INSERT INTO task_slots (call, owner) VALUES (${call}, ${owner}) ON CONFLICT DO NOTHING`
  })

  return {
    running,
    /** Takes a slot for a call that creates a task, or refuses it with 429. */
    acquire: (owner: string, call: string, limit: number): Effect.Effect<void, Refused | SqlError> =>
      turn.withPermit(sql.withTransaction(acquire(owner, call, limit)))
  }
}
