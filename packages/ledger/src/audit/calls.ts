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
