import { create } from "@tollgate/ledger/store/statements"

export const operatorTables: ReadonlyArray<string> = [
  // `issuer` and `subject`: who an OpenID provider says it is. NULL: signs in by links.
  `CREATE TABLE operators (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    issuer TEXT,
    subject TEXT,
    created_at BIGINT NOT NULL,
    seen_at BIGINT,
    ended BIGINT NOT NULL DEFAULT 0
  )`,
  "CREATE UNIQUE INDEX operators_subject ON operators (issuer, subject) WHERE issuer IS NOT NULL",
  // `hash`: keyed, of the token. `kind`: `link`, which is used once, `session` of a browser, or `token` of a program.
  `CREATE TABLE operator_tokens (
    id TEXT PRIMARY KEY,
    operator TEXT NOT NULL REFERENCES operators (id),
    kind TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    label TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    used_at BIGINT,
    ended BIGINT NOT NULL DEFAULT 0
  )`,
  "CREATE INDEX operator_tokens_operator ON operator_tokens (operator, created_at)",
  "CREATE INDEX operator_tokens_ends ON operator_tokens (ends_at)"
]

export const operators = create(operatorTables)
