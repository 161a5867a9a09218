import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Refused } from "@tollgate/contract/errors/Refused"
import { number, type Row } from "../../books/store/rows.ts"
import { limitReached, type Slots } from "./TaskSlots.ts"

// A slot counts while its call is open. So one that nobody releases, since its gateway died, ends with its call.
const count = `
  SELECT count(*) AS running FROM (
    SELECT call FROM tasks WHERE owner = $1 AND ended_at IS NULL
    UNION SELECT s.call FROM task_slots s JOIN calls c ON c.id = s.call WHERE s.owner = $1 AND c.state = 'open'
  ) taken`

/** Slots asked for at a time: each may wait for another gateway, and calls need the other connections of the store. */
const atOnce = 2

/** Slots in PostgreSQL: those that several gateways ask for at once are given one after the other. */
export const make = (sql: SqlClient): Slots => {
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
