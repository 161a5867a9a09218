import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

export const webhooks = Effect.gen(function* () {
  const sql = yield* SqlClient

  // The outbox: what is to be sent, and to which endpoint. While an entry is being sent, `next_at` is when others may try.
  yield* sql`CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    endpoint TEXT NOT NULL,
    type TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    state TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    next_at BIGINT NOT NULL,
    ended_at BIGINT,
    result TEXT
  )`
  yield* sql`CREATE INDEX webhooks_pending ON webhooks (endpoint, next_at) WHERE state = 'pending'`
  yield* sql`CREATE INDEX webhooks_states ON webhooks (state, created_at, id)`
  yield* sql`CREATE INDEX webhooks_times ON webhooks (created_at, id)`

  // What was last told of an upstream or of the books, so that no other gateway tells it again.
  yield* sql`CREATE TABLE webhook_marks (name TEXT PRIMARY KEY, value TEXT NOT NULL, at BIGINT NOT NULL)`
})
