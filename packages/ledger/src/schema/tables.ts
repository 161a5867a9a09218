// The first migration. Stores have these tables, so the text stays as it is: a change is a migration of its own.
//
// Amounts are micro-USD, except those named nano and the prices of tasks; times are milliseconds since the epoch. The
// statements are in the words of SQLite: `Dialect.schema` has those of PostgreSQL.

import { callTable } from "../ledger/callColumns.ts"

/** Accounts, their keys and entries. */
const accounts = [
  `CREATE TABLE accounts (
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
  )`,

  // `root_key`: the first key of a chain of rotations, whose row holds the terms and the spend of them all. NULL for a key that
  // is its own root. `ended` is a state and not a comparison with the clock: a key that has ended stays ended if the clock
  // goes back. `is_grant`: the key is the row of a grant, and nobody can present it. `restrictions`, as JSON: see
  // `Restrictions.ts`.
  `CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id),
    root_key TEXT REFERENCES keys (id),
    hash TEXT NOT NULL UNIQUE,
    label TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    ends_at BIGINT,
    ended BIGINT NOT NULL DEFAULT 0,
    is_grant BIGINT NOT NULL DEFAULT 0,
    budget BIGINT,
    spent BIGINT NOT NULL DEFAULT 0,
    reserved BIGINT NOT NULL DEFAULT 0,
    day_budget BIGINT,
    day_from BIGINT NOT NULL DEFAULT 0,
    day_spent BIGINT NOT NULL DEFAULT 0,
    month_budget BIGINT,
    month_from BIGINT NOT NULL DEFAULT 0,
    month_spent BIGINT NOT NULL DEFAULT 0,
    restrictions TEXT
  )`,
  "CREATE INDEX keys_account ON keys (account)",

  // Payments, reversals of them, credits, debits and refunds of calls. Together with the charges of calls they add up to
  // the balance. `call`: the one that is refunded.
  `CREATE TABLE entries (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id),
    kind TEXT NOT NULL,
    amount BIGINT NOT NULL,
    note TEXT NOT NULL,
    at BIGINT NOT NULL,
    call TEXT
  )`,
  "CREATE INDEX entries_account ON entries (account, at, id)",
  "CREATE UNIQUE INDEX entries_call ON entries (call) WHERE call IS NOT NULL"
]

/** Calls, and what is kept of them. */
const calls = [
  callTable,
  // A call enters this index only when it has ended: indexing it twice costs about 1 % of a call.
  "CREATE INDEX calls_ended ON calls (account, ended_at) WHERE ended_at IS NOT NULL",
  // The calls of all accounts by time, for operators.
  "CREATE INDEX calls_ended_at ON calls (ended_at) WHERE ended_at IS NOT NULL",
  "CREATE INDEX calls_unknown ON calls (ended_at) WHERE state = 'unknown'",
  "CREATE INDEX calls_open ON calls (created_at) WHERE state = 'open'",
  "CREATE INDEX calls_running ON calls (account, created_at) WHERE state = 'running'",
  // Without the names: an entry of an index must not be long.
  "CREATE INDEX calls_gaps ON calls (ended_at) WHERE gaps IS NOT NULL",
  // Refused before they were reserved: they are few, and do not stay.
  "CREATE INDEX calls_refused ON calls (account, ended_at) WHERE owner = ''",
  "CREATE INDEX calls_refused_at ON calls (ended_at) WHERE owner = ''",
  "CREATE INDEX calls_quota_at ON calls (account, quota_at) WHERE quota_at IS NOT NULL",

  `CREATE TABLE idempotency (
    id TEXT PRIMARY KEY,
    payload TEXT NOT NULL,
    call TEXT NOT NULL,
    ends_at BIGINT NOT NULL
  )`,
  "CREATE INDEX idempotency_ends ON idempotency (ends_at)",
  "CREATE INDEX idempotency_call ON idempotency (call)",
  // Calls of SDKs that count their attempts. The digest is of credential, operation and request, and `attempt` is the last one
  // at the call: a higher one with the same digest is the call again.
  `CREATE TABLE attempts (
    digest TEXT NOT NULL,
    call TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    PRIMARY KEY (digest, call)
  ) WITHOUT ROWID`,
  "CREATE INDEX attempts_ends ON attempts (ends_at)",
  `CREATE TABLE answers (
    call TEXT PRIMARY KEY,
    status BIGINT NOT NULL,
    content_type TEXT,
    headers TEXT,
    body BLOB NOT NULL
  )`,

  // A task that an upstream has accepted, under the id that callers see. Its call is `running` until `ended_at`. `owner`: the root
  // key of the credential, or the account of an OAuth token. `price`, in nano-USD, and `multiplier` are those at creation, and
  // `terms` say how the price depends on what the finished task reports; `cost`, in nano-USD, and `cost_terms` are the same of
  // the upstream's own prices. `body` is the last known state, as JSON.
  `CREATE TABLE tasks (
    id TEXT PRIMARY KEY,
    call TEXT NOT NULL UNIQUE,
    account TEXT NOT NULL,
    owner TEXT NOT NULL,
    provider TEXT NOT NULL,
    upstream TEXT NOT NULL,
    price BIGINT NOT NULL,
    multiplier BIGINT NOT NULL,
    terms TEXT,
    cost BIGINT,
    cost_terms TEXT,
    created_at BIGINT NOT NULL,
    status TEXT NOT NULL,
    body TEXT NOT NULL,
    ended_at BIGINT,
    expires_at BIGINT
  )`,
  "CREATE INDEX tasks_running ON tasks (owner) WHERE ended_at IS NULL",
  "CREATE INDEX tasks_upstream ON tasks (upstream, provider)",
  "CREATE INDEX tasks_account ON tasks (account, created_at)",
  "CREATE INDEX tasks_given_up ON tasks (ended_at) WHERE status = 'UNKNOWN' AND ended_at IS NOT NULL",
  "CREATE INDEX tasks_expires ON tasks (expires_at)",
  // A task that is being started. It takes a slot of its owner while its call is open.
  `CREATE TABLE task_slots (
    call TEXT PRIMARY KEY,
    owner TEXT NOT NULL
  )`,
  "CREATE INDEX task_slots_owner ON task_slots (owner)"
]

const counters = `
    requests BIGINT NOT NULL,
    failed_requests BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cache_read_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    value BIGINT NOT NULL,
    charged BIGINT NOT NULL`

/** Totals of ended calls, so that a report does not read every call. */
const usage = [
  // By minute, hour and day.
  `CREATE TABLE usage_sums (
    account TEXT NOT NULL,
    key TEXT NOT NULL,
    span BIGINT NOT NULL,
    start BIGINT NOT NULL,${counters},
    PRIMARY KEY (account, span, start, key)
  )`,
  // For the report of a single key.
  "CREATE INDEX usage_sums_key ON usage_sums (account, key, span, start)",
  `CREATE TABLE account_sums (
    account TEXT NOT NULL,
    span BIGINT NOT NULL,
    start BIGINT NOT NULL,${counters},
    PRIMARY KEY (account, span, start)
  )`,

  // By hour and day. The model is empty for calls that name none. Without row ids there is one tree instead of a table and its
  // index: each checkpoint writes here.
  `CREATE TABLE operation_sums (
    account TEXT NOT NULL,
    key TEXT NOT NULL,
    span BIGINT NOT NULL,
    start BIGINT NOT NULL,
    operation TEXT NOT NULL,
    model TEXT NOT NULL,${counters},
    PRIMARY KEY (account, key, span, start, operation, model)
  ) WITHOUT ROWID`,
  // The value is empty for all values beyond those that are counted by name.
  `CREATE TABLE tag_sums (
    account TEXT NOT NULL,
    key TEXT NOT NULL,
    span BIGINT NOT NULL,
    start BIGINT NOT NULL,
    tag TEXT NOT NULL,
    value_of_tag TEXT NOT NULL,${counters},
    PRIMARY KEY (account, key, span, start, tag, value_of_tag)
  ) WITHOUT ROWID`,
  // For the totals of all accounts.
  "CREATE INDEX tag_sums_start ON tag_sums (span, start)",

  // By day: calls whose cost is known, what they were charged, and what the upstream charges for them.
  `CREATE TABLE cost_sums (
    start BIGINT NOT NULL,
    account TEXT NOT NULL,
    operation TEXT NOT NULL,
    model TEXT NOT NULL,
    upstream TEXT NOT NULL,
    requests BIGINT NOT NULL,
    charged BIGINT NOT NULL,
    cost_nano BIGINT NOT NULL,
    PRIMARY KEY (start, account, operation, model, upstream)
  ) WITHOUT ROWID`
]

const webhooks = [
  // The outbox: what is to be sent, and to which endpoint. While an entry is being sent, `next_at` is when others may try.
  `CREATE TABLE webhooks (
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
  )`,
  "CREATE INDEX webhooks_pending ON webhooks (endpoint, next_at) WHERE state = 'pending'",
  "CREATE INDEX webhooks_states ON webhooks (state, created_at, id)",
  "CREATE INDEX webhooks_times ON webhooks (created_at, id)",
  // What was last told of an upstream or of the books, so that no other gateway tells it again.
  "CREATE TABLE webhook_marks (name TEXT PRIMARY KEY, value TEXT NOT NULL, at BIGINT NOT NULL)"
]

const fleet = [
  // The gateways that use the store. Each writes the time of the store into its row while it lives; others delete the row of
  // one that does not. A gateway without a row cannot commit.
  `CREATE TABLE gateways (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    config TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    beat_at BIGINT NOT NULL
  )`,
  // What all of them must agree on, such as the fingerprint of the secret.
  "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)"
]

export const tables: ReadonlyArray<string> = [...accounts, ...calls, ...usage, ...webhooks, ...fleet]

/** Committed commands that the next checkpoint moves into the tables. */
export const embeddedTables: ReadonlyArray<string> = [
  "CREATE TABLE journal (seq INTEGER PRIMARY KEY, owner TEXT NOT NULL, commands TEXT NOT NULL)"
]

/** In PostgreSQL, for several gateways. */
export const sharedTables: ReadonlyArray<string> = [
  // Room on each page for new versions of its rows.
  "ALTER TABLE accounts SET (fillfactor = 50)",
  "ALTER TABLE keys SET (fillfactor = 50)",

  // What ended calls add to the totals. A commit appends here, so that gateways do not wait for each other's totals, and
  // `fold_usage` moves the rows into the totals. `upstream` and `cost_nano` are those of a call whose cost is known.
  `CREATE TABLE usage_deltas (
    account TEXT NOT NULL,
    key TEXT NOT NULL,
    at BIGINT NOT NULL,
    operation TEXT NOT NULL,
    model TEXT NOT NULL,
    tags TEXT,${counters},
    upstream TEXT,
    cost_nano BIGINT
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0)`
]
