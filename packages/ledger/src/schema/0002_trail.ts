import { create } from "../store/statements.ts"

export const trailTables: ReadonlyArray<string> = [
  // All changes that are no calls, in one list. `before` and `after` are JSON. `hash`: of the entry and of the hash before it.
  `CREATE TABLE trail (
    seq BIGINT PRIMARY KEY,
    at BIGINT NOT NULL,
    who TEXT NOT NULL,
    operator TEXT,
    address TEXT,
    request TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    account TEXT,
    before TEXT,
    after TEXT,
    why TEXT NOT NULL,
    hash TEXT NOT NULL
  )`,
  "CREATE INDEX trail_subject ON trail (subject, seq)",
  "CREATE INDEX trail_account ON trail (account, seq)",
  "CREATE INDEX trail_who ON trail (who, seq)",
  "CREATE INDEX trail_operator ON trail (operator, seq) WHERE operator IS NOT NULL",
  "CREATE INDEX trail_action ON trail (action, seq)",
  "CREATE INDEX trail_request ON trail (request, seq)"
]

export const trail = create(trailTables)
