import { text } from "../store/rows.ts"
import { compare } from "../ledger/Difference.ts"

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
      SUM(CASE WHEN calls.state IN ('open', 'running', 'unknown') THEN calls.reserved ELSE 0 END) AS reserved,
      SUM(CASE WHEN COALESCE(calls.quota_at, calls.ended_at) >= p.quota_from THEN calls.charged ELSE 0 END) AS quota_spent
    FROM calls
    JOIN keys own ON own.id = calls.key
    JOIN keys p ON p.id = COALESCE(own.root_key, own.id)
    GROUP BY p.id
  ) c ON c.root_key = k.id`,
  (row) => text(row, "id")
)
