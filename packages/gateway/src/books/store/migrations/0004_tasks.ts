import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

// Amounts are nano-USD; times are milliseconds since the epoch.
export const tasks = Effect.gen(function* () {
  const sql = yield* SqlClient

  // A task that an upstream has accepted, under the id that callers see. Its call is `running` until `ended_at`.
  // `price` and `multiplier` are those at creation; `body` is the last known state, as JSON.
  yield* sql`CREATE TABLE tasks (
    id TEXT PRIMARY KEY,
    call TEXT NOT NULL UNIQUE,
    account TEXT NOT NULL,
    purse TEXT NOT NULL,
    provider TEXT NOT NULL,
    upstream TEXT NOT NULL,
    price BIGINT NOT NULL,
    multiplier BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    status TEXT NOT NULL,
    body TEXT NOT NULL,
    ended_at BIGINT,
    expires_at BIGINT
  )`
  yield* sql`CREATE INDEX tasks_running ON tasks (purse) WHERE ended_at IS NULL`
  yield* sql`CREATE INDEX tasks_expires ON tasks (expires_at)`

  yield* sql`CREATE INDEX calls_running ON calls (account, created_at) WHERE state = 'running'`
})
