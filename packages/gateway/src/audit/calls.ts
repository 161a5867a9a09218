import * as Effect from "effect/Effect"
import { type Row, text } from "../store/rows.ts"
import { type Check, compare, type Difference } from "./Difference.ts"

const id = (row: Row): string => text(row, "id")

const noMoreThanReserved = (charge: string): string => `CASE WHEN reserved < ${charge} THEN reserved ELSE ${charge} END`

const most = noMoreThanReserved("(charged_nano + 500) / 1000")
// `charged_nano` may itself be rounded up to half a micro-USD, while `charged` was rounded down.
const least = noMoreThanReserved("(charged_nano + 499) / 1000")

const charges = compare(
  "calls",
  ["charged"],
  `SELECT id, charged, CASE WHEN charged > most THEN most WHEN charged < least THEN least ELSE charged END AS due_charged
  FROM (SELECT id, charged, ${most} AS most, ${least} AS least FROM calls WHERE state = 'settled') AS settled`,
  id
)

const freeOfCharge = compare(
  "calls",
  ["charged", "charged_nano", "value"],
  `SELECT id, charged, charged_nano, value, 0 AS due_charged, 0 AS due_charged_nano, 0 AS due_value
  FROM calls WHERE state <> 'settled'`,
  id
)

const orNull = (value: unknown): string | null => (value === null ? null : String(value))

const wrong =
  (column: string, where: string, expected: string | null): Check =>
  (rows) =>
    Effect.map(rows.run(`SELECT id, ${column} FROM calls WHERE ${where}`, []), (found) =>
      found.map((row): Difference => ({ table: "calls", column, id: id(row), stored: orNull(row[column]), expected }))
    )

const checks = [
  charges,
  freeOfCharge,
  wrong(
    "state",
    "state NOT IN ('open', 'running', 'unknown', 'settled', 'released', 'written_off')",
    "open, running, unknown, settled, released or written_off"
  ),
  wrong("ended_at", "state IN ('open', 'running', 'unknown') AND ended_at IS NOT NULL", null),
  wrong("ended_at", "state IN ('settled', 'released', 'written_off') AND ended_at IS NULL", "a time"),
  wrong("account", "account NOT IN (SELECT id FROM accounts)", "an account"),
  // An OAuth token has an empty key.
  wrong(
    "key",
    "key <> '' AND NOT EXISTS (SELECT 1 FROM keys WHERE keys.id = calls.key AND keys.account = calls.account)",
    "a key of the account"
  )
]

/** Each call by itself: only a settled call has a charge, which is the rounded amount or at most the reservation. */
export const calls: Check = (rows) =>
  Effect.map(
    Effect.forEach(checks, (check) => check(rows)),
    (found) => found.flat()
  )
