import { text } from "../store/rows.ts"
import { compare } from "../ledger/Difference.ts"

/** Balance: entries less charges. Reserved: the reservations of calls that have not ended. Topped up: payments. */
export const accounts = compare(
  "accounts",
  ["balance", "reserved", "topped_up"],
  `SELECT a.id, a.balance, a.reserved, a.topped_up,
    COALESCE(e.amount, 0) - COALESCE(c.charged, 0) AS due_balance,
    COALESCE(c.reserved, 0) AS due_reserved,
    COALESCE(e.topped_up, 0) AS due_topped_up
  FROM accounts a
  LEFT JOIN (
    SELECT account, SUM(amount) AS amount, SUM(CASE WHEN kind = 'topup' THEN amount ELSE 0 END) AS topped_up
    FROM entries GROUP BY account
  ) e ON e.account = a.id
  LEFT JOIN (
    SELECT account,
      SUM(CASE WHEN state = 'settled' THEN charged ELSE 0 END) AS charged,
      SUM(CASE WHEN state IN ('open', 'running', 'unknown') THEN reserved ELSE 0 END) AS reserved
    FROM calls GROUP BY account
  ) c ON c.account = a.id`,
  (row) => text(row, "id")
)
