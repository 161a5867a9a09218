import { type Row, text } from "../store/rows.ts"
import { all, type Check, compare, unexpected } from "../ledger/Difference.ts"

/**
 * Whether a call counts among the failed requests: it ended unknown, or was answered with 4xx or 5xx. A settled or released
 * call may also have failed by what its answer says, which only its own row tells.
 */
export const failed =
  "CASE WHEN state = 'unknown' OR status >= 400 THEN 1" +
  " WHEN state IN ('settled', 'released') AND failed <> 0 THEN 1 ELSE 0 END"

const id = (row: Row): string => text(row, "id")

const most = "(charged_nano + loss_nano + 500) / 1000"
// The metered nano-USD may themselves be rounded up to half a micro-USD, while the charge was rounded down.
const least = "(charged_nano + loss_nano + 499) / 1000"

const upToCap = (price: string): string => `CASE WHEN cap < ${price} THEN cap ELSE ${price} END`
const beyondCap = (price: string): string => `CASE WHEN cap < ${price} THEN ${price} - cap ELSE 0 END`

const within = (column: string, part: (price: string) => string): string =>
  `CASE WHEN ${column} > ${part(most)} THEN ${part(most)} WHEN ${column} < ${part(least)} THEN ${part(least)}` +
  ` ELSE ${column} END`

const charges = compare(
  "calls",
  ["charged", "loss", "loss_nano"],
  `SELECT id, charged, loss, loss_nano, ${within("charged", upToCap)} AS due_charged, ${within("loss", beyondCap)} AS due_loss,
    CASE WHEN loss = 0 OR cap IS NULL THEN 0 ELSE charged_nano + loss_nano - cap * 1000 END AS due_loss_nano
  FROM calls WHERE state = 'settled'`,
  id
)

const freeOfCharge = compare(
  "calls",
  ["charged", "charged_nano", "value", "loss", "loss_nano"],
  `SELECT id, charged, charged_nano, value, loss, loss_nano,
    0 AS due_charged, 0 AS due_charged_nano, 0 AS due_value, 0 AS due_loss, 0 AS due_loss_nano
  FROM calls WHERE state <> 'settled'`,
  id
)

const failures = compare("calls", ["failed"], `SELECT id, failed, ${failed} AS due_failed FROM calls`, id)

const unended = ["open", "running"]
const ended = ["unknown", "settled", "released", "refused", "replayed"]

const wrong = (column: string, where: string, expected: string | null): Check =>
  unexpected("calls", column, expected, `SELECT id, ${column} AS stored FROM calls WHERE ${where}`)

/** Each call by itself: only a settled call has a charge, which is the rounded price, and at most its cap. */
export const calls = all([
  charges,
  freeOfCharge,
  failures,
  wrong("state", `state NOT IN (${[...unended, ...ended].map((state) => `'${state}'`).join(", ")})`, "a known state"),
  wrong("ended_at", "state IN ('open', 'running') AND ended_at IS NOT NULL", null),
  wrong("ended_at", "state NOT IN ('open', 'running') AND ended_at IS NULL", "a time"),
  wrong("account", "account NOT IN (SELECT id FROM accounts)", "an account"),
  wrong("cost_nano", "cost_nano < 0", "zero or more"),
  wrong("cost_nano", "cost_nano IS NOT NULL AND state <> 'settled'", null),
  // An OAuth token has an empty key.
  wrong(
    "key",
    "key <> '' AND NOT EXISTS (SELECT 1 FROM keys WHERE keys.id = calls.key AND keys.account = calls.account)",
    "a key of the account"
  )
])

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
