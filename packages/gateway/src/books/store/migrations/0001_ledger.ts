import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

// Amounts are micro-USD, except those named nano; times are milliseconds since the epoch.
export const ledger = Effect.gen(function* () {
  const sql = yield* SqlClient

  yield* sql`CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    label TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    balance BIGINT NOT NULL DEFAULT 0,
    reserved BIGINT NOT NULL DEFAULT 0,
    topped_up BIGINT NOT NULL DEFAULT 0,
    tier TEXT,
    rpm BIGINT,
    tpm BIGINT,
    concurrency BIGINT,
    multiplier BIGINT NOT NULL DEFAULT 1000000
  )`

  yield* sql`CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id),
    hash TEXT NOT NULL UNIQUE,
    label TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    ends_at BIGINT,
    budget BIGINT,
    spent BIGINT NOT NULL DEFAULT 0,
    reserved BIGINT NOT NULL DEFAULT 0,
    quota BIGINT,
    quota_period TEXT,
    quota_from BIGINT NOT NULL DEFAULT 0,
    quota_spent BIGINT NOT NULL DEFAULT 0
  )`
  yield* sql`CREATE INDEX keys_account ON keys (account)`

  // Payments, credits and debits. Together with the charges of calls they add up to the balance.
  yield* sql`CREATE TABLE entries (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id),
    kind TEXT NOT NULL,
    amount BIGINT NOT NULL,
    note TEXT NOT NULL,
    at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX entries_account ON entries (account)`

  yield* sql`CREATE TABLE calls (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    key TEXT NOT NULL,
    operation TEXT NOT NULL,
    state TEXT NOT NULL,
    reserved BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    owner TEXT NOT NULL,
    ended_at BIGINT,
    status BIGINT,
    value BIGINT NOT NULL DEFAULT 0,
    charged BIGINT NOT NULL DEFAULT 0,
    charged_nano BIGINT NOT NULL DEFAULT 0,
    cost_state TEXT,
    evidence TEXT,
    input_tokens BIGINT NOT NULL DEFAULT 0,
    output_tokens BIGINT NOT NULL DEFAULT 0,
    cache_read_tokens BIGINT NOT NULL DEFAULT 0,
    cache_write_tokens BIGINT NOT NULL DEFAULT 0
  )`
  yield* sql`CREATE INDEX calls_ended ON calls (account, ended_at)`
  yield* sql`CREATE INDEX calls_unended ON calls (state, created_at) WHERE state IN ('open', 'unknown')`

  yield* sql`CREATE TABLE idempotency (
    id TEXT PRIMARY KEY,
    payload TEXT NOT NULL,
    call TEXT NOT NULL,
    ends_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX idempotency_ends ON idempotency (ends_at)`
  yield* sql`CREATE INDEX idempotency_call ON idempotency (call)`

  const bytes = sql.onDialectOrElse({ pg: () => sql.literal("BYTEA"), orElse: () => sql.literal("BLOB") })
  yield* sql`CREATE TABLE answers (
    call TEXT PRIMARY KEY,
    status BIGINT NOT NULL,
    content_type TEXT,
    body ${bytes} NOT NULL
  )`

  // Totals of ended calls by minute, hour and day, so that a report does not read every call.
  yield* sql`CREATE TABLE usage_sums (
    account TEXT NOT NULL,
    key TEXT NOT NULL,
    span BIGINT NOT NULL,
    start BIGINT NOT NULL,
    requests BIGINT NOT NULL,
    failed_requests BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cache_read_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    value BIGINT NOT NULL,
    charged BIGINT NOT NULL,
    PRIMARY KEY (account, span, start, key)
  )`
})
