/** The tables that the ledger's commands write. */
export const ledgerTables = [
  "accounts",
  "keys",
  "calls",
  "idempotency",
  "attempts",
  "answers",
  "usage_sums",
  "account_sums",
  "operation_sums",
  "tag_sums",
  "cost_sums",
  "tasks"
]
