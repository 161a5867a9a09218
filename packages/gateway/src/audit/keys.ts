import { text } from "../store/rows.ts"
import { compare } from "./Difference.ts"

export const keys = compare(
  "keys",
  ["spent", "reserved"],
  `SELECT k.id, k.spent, k.reserved,
    COALESCE(c.charged, 0) AS due_spent,
    COALESCE(c.reserved, 0) AS due_reserved
  FROM keys k
  LEFT JOIN (
    SELECT key,
      SUM(charged) AS charged,
      SUM(CASE WHEN state IN ('open', 'unknown') THEN reserved ELSE 0 END) AS reserved
    FROM calls GROUP BY key
  ) c ON c.key = k.id`,
  (row) => text(row, "id")
)
