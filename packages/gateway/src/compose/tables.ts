import { Migrations, OtherSchemas, migrate as migrateBooks, type Schema } from "@tollgate/ledger/schema/migrations"
import * as Effect from "effect/Effect"
import { operators, operatorTables } from "./0003_operators.ts"
import { payments, paymentTables } from "./0004_payments.ts"
import { limitFunction } from "../limits/sql/limitFunction.ts"

// What the gateway keeps beside the books, in the same store. As in the books, the statements are in the words of SQLite,
// belong to the first migration, and stay as they are.

/** Links to resellers. An owner is as in `tasks`. */
const links = [
  // The state is stored as a digest. The verifier and the tokens below are encrypted.
  `CREATE TABLE link_attempts (
    state TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    scopes TEXT NOT NULL,
    verifier BLOB NOT NULL,
    ends_at BIGINT NOT NULL
  )`,
  "CREATE INDEX link_attempts_ends ON link_attempts (ends_at)",
  "CREATE INDEX link_attempts_owner ON link_attempts (owner, ends_at)",
  `CREATE TABLE link_sessions (
    owner TEXT PRIMARY KEY,
    scopes TEXT NOT NULL,
    access BLOB NOT NULL,
    refresh BLOB,
    ends_at BIGINT,
    linked_at BIGINT NOT NULL
  )`
]

/** `since` and `upto` count all bytes ever kept for the account: rows too far behind the newest are deleted. */
const kept = [
  // The id is a digest of account and request. The list price is in digits.
  `CREATE TABLE answer_cache (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    call TEXT NOT NULL,
    status BIGINT NOT NULL,
    content_type TEXT,
    headers TEXT NOT NULL,
    body BLOB NOT NULL,
    list_nano TEXT NOT NULL,
    evidence TEXT NOT NULL,
    since BIGINT NOT NULL,
    upto BIGINT NOT NULL,
    stored_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL
  )`,
  "CREATE INDEX answer_cache_account ON answer_cache (account, since)",
  "CREATE INDEX answer_cache_ends ON answer_cache (ends_at)",
  // Responses that callers can go on from. `id`: NULL once it was deleted; then it is only a part of those that went on from it.
  // `previous`: the call whose response this one goes on from. Without one, `body` has the whole conversation; it is encrypted.
  // `depth`: how many rows are before it, from the one at `begins_at`. `size`: bytes of the conversation. `history`: its digest.
  `CREATE TABLE kept_responses (
    call TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    id TEXT,
    previous TEXT,
    depth BIGINT NOT NULL,
    begins_at BIGINT NOT NULL,
    size BIGINT NOT NULL,
    history TEXT NOT NULL,
    body BLOB NOT NULL,
    since BIGINT NOT NULL,
    upto BIGINT NOT NULL,
    ends_at BIGINT NOT NULL
  )`,
  "CREATE INDEX kept_responses_account ON kept_responses (account, since)",
  "CREATE INDEX kept_responses_id ON kept_responses (account, id)",
  "CREATE INDEX kept_responses_history ON kept_responses (account, history)",
  "CREATE INDEX kept_responses_previous ON kept_responses (previous) WHERE previous IS NOT NULL",
  "CREATE INDEX kept_responses_ends ON kept_responses (ends_at)",
  // The newest response that has an item of this id.
  `CREATE TABLE kept_items (
    account TEXT NOT NULL,
    id TEXT NOT NULL,
    call TEXT NOT NULL,
    PRIMARY KEY (account, id)
  )`,
  "CREATE INDEX kept_items_call ON kept_items (call)",
  // `body`: encrypted, what is said of it. `bytes`: with its items. Those with the oldest change go first.
  `CREATE TABLE kept_conversations (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    body BLOB NOT NULL,
    bytes BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL
  )`,
  "CREATE INDEX kept_conversations_account ON kept_conversations (account, changed_at, bytes)",
  "CREATE INDEX kept_conversations_ends ON kept_conversations (ends_at)",
  `CREATE TABLE kept_conversation_items (
    conversation TEXT NOT NULL,
    seq BIGINT NOT NULL,
    id TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (conversation, seq)
  )`,
  "CREATE INDEX kept_conversation_items_id ON kept_conversation_items (conversation, id)"
]

/** Grants, what the authorization server keeps, and sign-in. */
const signIn = [
  // A grant has a row in `keys` with the same id, which holds its limits in total and per day, its spend and its end.
  // `returns_to`: the host to which its client returned. `allows`: as JSON, see `Allowed`. NULL: every operation.
  // `ask_above`: a call that can cost more needs approval. NULL: none does. `secret`: a keyed hash, if its client is a machine.
  `CREATE TABLE grants (
    id TEXT PRIMARY KEY REFERENCES keys (id),
    client_id TEXT NOT NULL,
    client_name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    returns_to TEXT,
    allows TEXT,
    ask_above BIGINT,
    secret TEXT
  )`,
  "CREATE INDEX grants_machine ON grants (client_id) WHERE secret IS NOT NULL",
  // Calls that a person has to approve. `digest`: of the exact request. `request`: encrypted. `used_by`: the call.
  `CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    grant_id TEXT NOT NULL REFERENCES grants (id),
    digest TEXT NOT NULL,
    operation TEXT NOT NULL,
    request BLOB NOT NULL,
    likely BIGINT NOT NULL,
    most BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    decision TEXT,
    decided_at BIGINT,
    used_by TEXT,
    idempotency TEXT
  )`,
  "CREATE INDEX approvals_grant ON approvals (grant_id, ends_at)",
  "CREATE INDEX approvals_account ON approvals (account, created_at)",
  "CREATE INDEX approvals_ends ON approvals (ends_at)",
  "CREATE INDEX approvals_used ON approvals (used_by) WHERE used_by IS NOT NULL",
  // Ids are keyed hashes, payloads are encrypted.
  `CREATE TABLE oauth (
    model TEXT NOT NULL,
    id TEXT NOT NULL,
    payload BLOB NOT NULL,
    grant_id TEXT,
    uid TEXT,
    scopes TEXT,
    resource TEXT,
    consumed_at BIGINT,
    expires_at BIGINT,
    PRIMARY KEY (model, id)
  )`,
  "CREATE INDEX oauth_grant ON oauth (grant_id) WHERE grant_id IS NOT NULL",
  "CREATE INDEX oauth_uid ON oauth (uid) WHERE uid IS NOT NULL",
  "CREATE INDEX oauth_expires ON oauth (expires_at) WHERE expires_at IS NOT NULL",
  // Secrets are stored hashed. `key` is the API key that somebody signed in with, or NULL after a one-time link.
  `CREATE TABLE sign_in_links (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    ends_at BIGINT NOT NULL
  )`,
  "CREATE INDEX sign_in_links_ends ON sign_in_links (ends_at)",
  `CREATE TABLE page_sessions (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    key TEXT,
    ends_at BIGINT NOT NULL
  )`,
  "CREATE INDEX page_sessions_ends ON page_sessions (ends_at)",
  // Who is signed in to the console. `sealed`: the credential, under a key that only the browser's cookie gives.
  `CREATE TABLE console_sessions (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    sealed BLOB NOT NULL,
    begun_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL
  )`,
  "CREATE INDEX console_sessions_owner ON console_sessions (owner, begun_at)",
  "CREATE INDEX console_sessions_ends ON console_sessions (ends_at)"
]

const limits = [
  // The limits are not logged: they change with every call. After a crash of the database they start over.
  // The row of a key guards its groups and leases too: whoever changes them has locked it.
  `CREATE UNLOGGED TABLE limit_keys (
    key TEXT PRIMARY KEY,
    rpm BIGINT NOT NULL,
    requests_used BIGINT NOT NULL,
    requests_at BIGINT NOT NULL,
    tpm BIGINT NOT NULL,
    tokens_used BIGINT NOT NULL,
    tokens_at BIGINT NOT NULL
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02)`,
  `CREATE UNLOGGED TABLE limit_groups (
    key TEXT NOT NULL,
    id TEXT NOT NULL,
    rpm BIGINT NOT NULL,
    used BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (key, id)
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02)`,
  // A lease counts while its gateway lives.
  `CREATE UNLOGGED TABLE limit_leases (
    key TEXT NOT NULL,
    id TEXT NOT NULL,
    gateway TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (key, id)
  ) WITH (autovacuum_vacuum_scale_factor = 0.02)`
]

export const beside: Schema = {
  tables: [...links, ...kept, ...signIn],
  sharedTables: limits,
  functions: [limitFunction],
  later: [...operatorTables, ...paymentTables]
}

/** Runs the migrations that the store does not have yet. */
export const migrate = migrateBooks.pipe(
  Effect.updateService(Migrations, (known) => ({ ...known, "0003_operators": operators, "0004_payments": payments })),
  Effect.provideService(OtherSchemas, beside)
)
