import { text } from "../store/rows.ts"
import { compare } from "./Difference.ts"

/**
 * What a key and those that came from it by rotation spent, in all and since the period began, and what their calls that
 * have not ended may still cost. A call is of the period in which it ended.
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
    SELECT p.id AS purse,
      SUM(calls.charged) AS charged,
      SUM(CASE WHEN calls.state IN ('open', 'running', 'unknown') THEN calls.reserved ELSE 0 END) AS reserved,
      SUM(CASE WHEN calls.ended_at >= p.quota_from THEN calls.charged ELSE 0 END) AS quota_spent
    FROM calls
    JOIN keys own ON own.id = calls.key
    JOIN keys p ON p.id = COALESCE(own.purse, own.id)
    GROUP BY p.id
  ) c ON c.purse = k.id`,
  (row) => text(row, "id")
)
