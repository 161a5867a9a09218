import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { limitFunction } from "./0017_limitFunction.ts"

// The limits are not logged: they change with every call, and after a crash of the database they begin anew.
const tables = [
  // The row of a key guards its groups and leases too: whoever changes them has locked it.
  `CREATE UNLOGGED TABLE limit_keys (
    key TEXT COLLATE "C" PRIMARY KEY,
    rpm BIGINT NOT NULL,
    requests_used BIGINT NOT NULL,
    requests_at BIGINT NOT NULL,
    tpm BIGINT NOT NULL,
    tokens_used BIGINT NOT NULL,
    tokens_at BIGINT NOT NULL
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02)`,
  `CREATE UNLOGGED TABLE limit_groups (
    key TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    rpm BIGINT NOT NULL,
    used BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (key, id)
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02)`,
  // A lease counts while its gateway lives.
  `CREATE UNLOGGED TABLE limit_leases (
    key TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    gateway TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (key, id)
  ) WITH (autovacuum_vacuum_scale_factor = 0.02)`,
  // A task that is being started. It takes a slot of its owner while its call is open.
  `CREATE TABLE task_slots (
    call TEXT PRIMARY KEY,
    owner TEXT NOT NULL
  )`,
  "CREATE INDEX task_slots_owner ON task_slots (owner)"
]

/** Limits that several gateways share. Only PostgreSQL has several gateways. */
export const limits = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql.onDialectOrElse({
    pg: () => Effect.forEach([...tables, limitFunction], (text) => sql.unsafe(text), { discard: true }),
    orElse: () => Effect.void
  })
})
