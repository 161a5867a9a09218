import { text } from "../store/rows.ts"
import { all, compare, unexpected } from "../ledger/Difference.ts"

/** Balance: entries less charges. Reserved: the reservations of calls that have not ended. Topped up: payments less reversals. */
export const accounts = compare(
  "accounts",
  ["balance", "reserved", "topped_up"],
  `SELECT a.id, a.balance, a.reserved, a.topped_up,
    COALESCE(e.amount, 0) - COALESCE(c.charged, 0) AS due_balance,
    COALESCE(c.reserved, 0) AS due_reserved,
    COALESCE(e.topped_up, 0) AS due_topped_up
  FROM accounts a
  LEFT JOIN (
    SELECT account, SUM(amount) AS amount, SUM(CASE WHEN kind IN ('topup', 'reversal') THEN amount ELSE 0 END) AS topped_up
    FROM entries GROUP BY account
  ) e ON e.account = a.id
  LEFT JOIN (
    SELECT account,
      SUM(CASE WHEN state = 'settled' THEN charged ELSE 0 END) AS charged,
      SUM(CASE WHEN state IN ('open', 'running') THEN reserved ELSE 0 END) AS reserved
    FROM calls GROUP BY account
  ) c ON c.account = a.id`,
  (row) => text(row, "id")
)

/**
 * Spend in total, spend in the current period and reserved amounts, of each key with its rotations. A charge counts in
 * the period that was in force when it was recorded.
 */
export const keys = compare(
  "keys",
  ["spent", "reserved", "quota_spent"],
  `SELECT k.id, k.spent, k.reserved, k.quota_spent,
    COALESCE(c.charged, 0) AS due_spent,
    COALESCE(c.reserved, 0) AS due_reserved,
    COALESCE(c.quota_spent, 0) AS due_quota_spent
  FROM keys k
  LEFT JOIN (
    SELECT p.id AS root_key,
      SUM(calls.charged) AS charged,
      SUM(CASE WHEN calls.state IN ('open', 'running') THEN calls.reserved ELSE 0 END) AS reserved,
      SUM(CASE WHEN COALESCE(calls.quota_at, calls.ended_at) >= p.quota_from THEN calls.charged ELSE 0 END) AS quota_spent
    FROM calls
    JOIN keys own ON own.id = calls.key
    JOIN keys p ON p.id = COALESCE(own.root_key, own.id)
    GROUP BY p.id
  ) c ON c.root_key = k.id`,
  (row) => text(row, "id")
)

/** A refund names a call of its account, and is no more than what that was charged. The store has no two for one call. */
export const refunds = unexpected(
  "entries",
  "amount",
  "at most the charge of a call of the account",
  `SELECT e.id, e.amount AS stored FROM entries e LEFT JOIN calls c ON c.id = e.call AND c.account = e.account
  WHERE (e.kind = 'refund' OR e.call IS NOT NULL)
    AND (c.id IS NULL OR e.kind <> 'refund' OR e.amount <= 0 OR e.amount > c.charged)`
)

/** Each claim names a call, and no two claims name the same one. */
export const idempotency = unexpected(
  "idempotency",
  "call",
  "a call of its own",
  `SELECT i.id, i.call AS stored FROM idempotency i LEFT JOIN calls c ON c.id = i.call
  WHERE c.id IS NULL OR EXISTS (SELECT 1 FROM idempotency o WHERE o.call = i.call AND o.id < i.id)`
)

/** A call is `running` exactly as long as its task is. */
export const tasks = all([
  unexpected(
    "calls",
    "state",
    "a task that has not ended",
    "SELECT id, state AS stored FROM calls c WHERE state = 'running'" +
      " AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.call = c.id AND t.ended_at IS NULL)"
  ),
  unexpected(
    "tasks",
    "call",
    "a call that has not ended",
    "SELECT t.id, t.call AS stored FROM tasks t LEFT JOIN calls c ON c.id = t.call" +
      " WHERE t.ended_at IS NULL AND (c.id IS NULL OR c.ended_at IS NOT NULL)"
  )
])
