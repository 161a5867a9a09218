/** The tables that a move copies, after those that they refer to. A part is copied in the order of the primary key. */
export const movedTables: ReadonlyArray<{ readonly table: string; readonly where?: string }> = [
  { table: "accounts" },
  // A key refers to the first one of its rotations, which refers to none.
  { table: "keys", where: "root_key IS NULL" },
  { table: "keys", where: "root_key IS NOT NULL" },
  { table: "entries" },
  { table: "calls" },
  { table: "idempotency" },
  { table: "answers" },
  { table: "usage_sums" },
  { table: "account_sums" },
  { table: "operation_sums" },
  { table: "tag_sums" },
  { table: "link_attempts" },
  { table: "link_sessions" },
  { table: "kept_answers" },
  { table: "answer_cache" },
  { table: "tasks" },
  { table: "grants" },
  { table: "oauth" },
  { table: "sign_in_links" },
  { table: "page_sessions" },
  { table: "webhooks" },
  { table: "webhook_marks" }
]

/** The journal is empty after a checkpoint. The rest says something of the store itself. */
export const tablesThatStay: ReadonlyArray<string> = ["journal", "gateways", "facts", "tollgate_migrations"]

export const tableNames: ReadonlyArray<string> = [...new Set(movedTables.map(({ table }) => table))]
